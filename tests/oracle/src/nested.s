# nested.s - symbols inside of a function: addr2line finds them or not, depending on what it
# was asked before.  No line numbers.
    .text
    .globl main
    .type main, @function
main:
    xor %eax, %eax
    .skip 40, 0x90
inner:
    .skip 40, 0x90
another:
    .skip 40, 0x90
    ret
    .size main, . - main
    .section .note.GNU-stack, "", @progbits
