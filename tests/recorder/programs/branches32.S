/* branches32.S - the same for 32-bit code, with all three ways into the kernel; no library.
 *
 * SPDX-License-Identifier: MIT
 */
        .intel_syntax noprefix
        .data
text:   .ascii  "32 bits\n"
table:  .long   one, two
sysinfo: .long  0
        .text
        .globl _start
one:    ret
two:    pop     eax
        jmp     eax
taking: ret     8

_start: mov     ebp, esp
        mov     esi, [ebp]                      /* past the arguments */
        lea     esi, [ebp + esi * 4 + 8]
1:      lodsd                                   /* past the environment */
        test    eax, eax
        jnz     1b
1:      lodsd                                   /* the auxiliary vector */
        mov     ecx, eax
        lodsd
        cmp     ecx, 32                         /* AT_SYSINFO */
        jne     2f
        mov     sysinfo, eax
2:      test    ecx, ecx
        jnz     1b

        mov     ecx, 7
1:      loop    1b
        mov     ecx, 3
        xor     eax, eax
1:      cmp     ecx, 2
        loopne  1b
        jecxz   1f
        call    one
1:      mov     ebx, 1
        call    dword ptr table[ebx * 4]
        call    dword ptr [table]
        mov     eax, offset one
        call    eax
        push    eax
        push    eax
        call    taking
        call    1f
1:      pop     eax
        mov     ecx, 100
        cld
        lea     edi, [esp - 512]
        xor     eax, eax
        rep     stosb

        mov     eax, 4                          /* write(1, text, 8) */
        mov     ebx, 1
        mov     ecx, offset text
        mov     edx, 8
        int     0x80
        cmp     dword ptr sysinfo, 0
        je      1f
        mov     eax, 20                         /* getpid() by sysenter, as the vdso does */
        call    dword ptr [sysinfo]
        test    eax, eax
        jle     2f
1:      mov     eax, 1
        xor     ebx, ebx
        int     0x80
2:      hlt
