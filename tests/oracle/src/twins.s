# twins.s - several symbols at one place: addr2line takes the largest, whatever its type, and
# with it the file that it is of; that of a global one is not known.  No line numbers.
    .file "twins.s"
    .text
    .globl far, wide
    .type near, @function
    .type far, @function
near:
far:
    .skip 40, 0x90
    .size near, 40
    .size far, 40
    .type small, @function
    .type wide, @function
small:
wide:
    .skip 40, 0x90
    .size small, 16
    .size wide, 32
label:
    .type under, @function
under:
    .skip 40, 0x90
    .size label, 24
    .size under, 24
    .section .note.GNU-stack, "", @progbits
