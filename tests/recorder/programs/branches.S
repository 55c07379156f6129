/* branches.S - every kind of near branch, both ways, in every addressing mode; no library.
 *
 * SPDX-License-Identifier: MIT
 */
        .intel_syntax noprefix
        .data
        .align 8
table:  .quad   one, two, three
place:  .quad   two
fsbase: .quad   three
        .text
        .globl _start

/* Both outcomes of a condition, with flags from all four comparisons below. */
        .macro both cond
        j\cond  1f
        inc     r15
1:      j\cond  2f
        nop
        .skip   130, 0x90                       /* a far one: 4-byte displacement */
2:      inc     r14
        .endm

        .macro all
        both o
        cmp     rax, rbx
        both no
        cmp     rax, rbx
        both b
        cmp     rax, rbx
        both ae
        cmp     rax, rbx
        both e
        cmp     rax, rbx
        both ne
        cmp     rax, rbx
        both be
        cmp     rax, rbx
        both a
        cmp     rax, rbx
        both s
        cmp     rax, rbx
        both ns
        cmp     rax, rbx
        both p
        cmp     rax, rbx
        both np
        cmp     rax, rbx
        both l
        cmp     rax, rbx
        both ge
        cmp     rax, rbx
        both le
        cmp     rax, rbx
        both g
        .endm

one:    ret
two:    pop     rax
        jmp     rax
three:  ret
taking: ret     16

_start:
        xor     r14, r14
        xor     r15, r15
        lea     r12, values[rip]
next:   mov     rax, [r12]
        mov     rbx, [r12 + 8]
        add     r12, 16
        cmp     rax, rbx
        all
        lea     rcx, values_end[rip]
        cmp     r12, rcx
        jb      next

        mov     ecx, 5
1:      loop    1b
        mov     ecx, 5
        xor     eax, eax
1:      test    eax, eax
        loope   1b
        mov     ecx, 5
1:      cmp     ecx, 3
        loopne  1b
        mov     ecx, 3
1:      addr32 loop 1b
        jrcxz   1f
        ud2
1:      movabs  rcx, 0x100000000
        jrcxz   bad
        jecxz   1f                              /* only the lower half counts */
bad:    ud2

1:      lea     rbx, table[rip]
        mov     ecx, 2
        call    [rbx + rcx * 8]
        call    [rbx]
        call    place[rip]
        call    qword ptr [table + 16]
        mov     rax, [rbx]
        call    rax
        lea     r13, three[rip]
        call    r13
        call    [rbx + 8]
        push    rbx
        push    rbx
        call    taking
        call    1f                              /* a call that no return belongs to */
1:      pop     rax
        jne     1f                              /* a branch to the next instruction */
1:      lea     rax, 1f[rip]
        push    rax
        ret                                     /* a return that is a jump */
        ud2
1:      lea     rax, 1f[rip]
        mov     [rsp - 32], rax
        jmp     [rsp - 32]
        ud2
1:      lea     rax, 1f[rip]
        .byte   0x3e, 0xff, 0xe0                /* notrack jmp rax */
        ud2
1:      .byte   0xf2, 0xe8, 0, 0, 0, 0          /* bnd call */
        pop     rax
        .byte   0x66, 0x48, 0xe8, 0, 0, 0, 0    /* the padded call of TLS code */
        pop     rax
        mov     eax, 158                        /* arch_prctl(ARCH_SET_FS, table) */
        mov     edi, 0x1002
        lea     rsi, table[rip]
        syscall
        call    fs:[16]
        mov     rcx, 24
        call    fs:[rcx + 8]

/* One reading of these bytes begins inside the other. */
        mov     ecx, 20
1:      test    ecx, 1
        jz      3f
        jmp     2f + 1
3:
2:      .byte   0x3e                            /* a prefix, or left out */
        add     eax, ecx
        dec     ecx
        jnz     1b
        mov     ecx, 10
1:      test    ecx, 1
        jz      2f
        jmp     2f + 1
2:      .byte   0xb8, 0x75, 0x00, 0x90, 0x90    /* mov eax, ...; or jnz +0, nop, nop */
        dec     ecx
        jnz     1b

        pushfq
        pop     rax
        and     eax, 0x100                      /* nobody sees our trap flag */
        jnz     bad
        mov     eax, cs
        push    rax
        lea     rax, 1f[rip]
        push    rax
        rex.W retf                              /* a far branch that stays here */
        ud2
1:      mov     eax, 60
        xor     edi, edi
        syscall

        .section .rodata
        .align 8
values: .quad   0, 0, 1, 2, 2, 1, -1, 1, 1, -1
        .quad   0x7fffffffffffffff, -1, -0x8000000000000000, 1, 3, 0
values_end:
