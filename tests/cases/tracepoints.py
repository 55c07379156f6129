"""The field trace: samples of tracepoints, by the formats recorded along."""
import struct

from cases import case
import mkfeat
from mkperf import Attr, Recording
import mksample as ms

TYPES = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.RAW
SIZES = {'u8': 1, 's8': 1, 'char': 1, 'u16': 2, 's16': 2, 'short': 2, 'u32': 4, 's32': 4, 'int': 4,
         'u64': 8, 's64': 8, 'long': 8, 'unsigned long': 8, 'void *': 8, 'const char *': 8}
FAILED = {rb'libtraceevent: .*@@@ stdout': b'@@@ stdout'}


def fields_of(o):
    """Fields of every format here, in this byte order: type, name, bytes."""
    return [('u8', 'b', b'\x81'), ('s8', 'sb', b'\xfe'), ('u16', 'h', struct.pack(o + 'H', 0x8234)),
            ('int', 'i', struct.pack(o + 'i', -5)), ('u32', 'u', struct.pack(o + 'I', 0xdeadbeef)),
            ('u64', 'q', struct.pack(o + 'Q', 0x8000000012345678)), ('long', 'l', struct.pack(o + 'q', -77)),
            ('u32', 'three', struct.pack(o + 'I', 3)), ('u32', 'five', struct.pack(o + 'I', 5)),
            ('u32', 'zero', bytes(4)), ('void *', 'p', struct.pack(o + 'Q', 0xffff888000001000)),
            ('const char *', 'known', struct.pack(o + 'Q', 0xffffffff82000010)),
            ('const char *', 'other', struct.pack(o + 'Q', 0xffffffff82000011)),
            ('char[8]', 'comm', b'name\0xyz'), ('char[4]', 'full', b'abcd'),
            ('u8[6]', 'mac', bytes(range(0xa0, 0xa6))), ('u8[4]', 'ip4', bytes((192, 0, 2, 1))),
            ('u8[16]', 'ip6', bytes.fromhex('20010db8000000000000ff0000428329')),
            ('u8[16]', 'mapped', bytes(10) + b'\xff\xff' + bytes((10, 0, 0, 1))),
            ('u8[16]', 'local', bytes(15) + b'\x01'),
            ('u8[28]', 'sa4', struct.pack(o + 'H', 2) + b'\x1f\x90' + bytes((127, 0, 0, 1)) + bytes(20)),
            ('u8[28]', 'sa6', struct.pack(o + 'H', 10) + b'\x00\x50' + bytes(4)
             + bytes.fromhex('fe800000000000000000000000000001') + bytes(4)),
            ('u8[16]', 'uuid', bytes(range(0x10, 0x20))),
            ('u16[4]', 'words', struct.pack(o + '4H', 1, 2, 3, 0x8000)),
            ('__data_loc char[]', 'str', b'a string\0'),
            ('__data_loc u32[]', 'dyn', struct.pack(o + '3I', 7, 8, 9)),
            ('__data_loc unsigned long[]', 'mask', struct.pack(o + '2Q', 0x123456789abcdef0, 0x42)),
            ('__rel_loc char[]', 'rel', b'relative\0')]


def layout(order):
    """The text of the fields, and the bytes of a sample behind its common ones."""
    lines, at, tail, raw = '', 8, b'', b''
    fixed = [SIZES[t] if t in SIZES else 4 if 'loc' in t else len(v) for t, _, v in fields_of(order)]
    end = 8 + sum(fixed)
    for (kind, name, value), size in zip(fields_of(order), fixed):
        array = kind.endswith(']') and 'loc' not in kind
        decl = '%s %s%s' % (kind.split('[')[0] if array else kind, name,
                            kind[kind.index('['):] if array else '')
        signed = kind in ('s8', 's16', 's32', 'int', 'long', 's64', 'short')
        lines += '\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' % (decl, at, size, signed)
        if 'loc' in kind:
            where = end + len(tail) - (at + 4 if 'rel' in kind else 0)
            tail += value
            value = struct.pack(order + 'I', len(value) << 16 | where)
        raw += value
        at += size
    return lines, raw + tail


def formats(c, prints, system='test', common=0, pipe=False, changes=(), keep=None,
            types=TYPES, mapped=None, without=(), **fields):
    """A recording with a sample of an event for each print fmt.  changes: (old, new), a part of
    each format that is another.  keep: how many bytes of each sample are there.  fields: of the
    samples, as types say; mapped: the file that they ran in."""
    d = Recording([Attr(2, 300 + i, ms.SAMPLE_ID_ALL, types, [300 + i])
                   for i in range(len(prints))])
    lines, raw = layout(d.pack.order)
    f = mkfeat.Features(d.pack)
    texts = ['name: e%d\nID: %d\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;'
             '\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s\n'
             'print fmt: %s\n' % (i, 300 + i, lines, text) for i, text in enumerate(prints)]
    for i, (old, new) in enumerate(changes):
        assert old in texts[i]
        texts[i] = texts[i].replace(old, new, 1)
    data = f.tracing_data({system: texts} if system != 'ftrace' else {},
                          ftrace=texts if system == 'ftrace' else (),
                          strings='0xffffffff82000010 : "a string of the kernel\\n"\n'
                                  '0xffffffff82000000 : "another"\n')
    d.features['tracing_data'] = data
    d.features['event_desc'] = f.event_desc(
        [(a.bytes(d.pack), '%s:e%d' % (system, i), a.ids) for i, a in enumerate(d.attrs)])
    d.comm('t', 1000)
    if mapped:
        d.mmap2(mapped)
    for i, attr in enumerate(d.attrs):
        body = d.pack('HHi', 300 + i, 0, 77) + raw
        d.sample(0x401000, 2000 + i, attr=attr, raw=(body + bytes((4 - len(body)) % 8))[:keep],
                 **fields)
    d.finished_round()
    if pipe:
        del d.features['tracing_data']
        d.write_pipe(c.folder + '/perf.data', data)
        return
    for feature in without:
        del d.features[feature]
    d.write(c.folder + '/perf.data')


@case('', '-F event,trace', '-F -trace', '-D', '-F comm,trace --ns',
      known=[('-F -trace', ('reads', b'unknown tracepoint'), 'Tracepoints')])
def killed(c):
    """perf record did not live to write what the tracepoints are, nor the size of the data."""
    formats(c, ['"%d", REC->i'], without=('tracing_data', 'event_desc'))
    with open(c.folder + '/perf.data', 'r+b') as f:
        f.seek(48)
        f.write(bytes(8))


@case('-F event,trace', '', '-F comm,trace,ip', 'report -s trace,e0.i', 'report -s +%3.q --hierarchy', 'report --raw-trace -n', 'report --raw-trace --group', 'report -s trace_fields')
def numbers(c):
    formats(c, [
        '"%d %i %u %x %X %o", REC->i, REC->i, REC->i, REC->i, REC->i, REC->u',
        '"%hhd %hhu %hd %hx %ld %lu %llx %Lu", REC->sb, REC->sb, REC->h, REC->h, REC->l, REC->l, '
        'REC->q, REC->q',
        '"%zu %zd %zx", REC->q, REC->l, REC->i',
        '"[%5d] [%-5d] [%05d] [%5.3d] [%.0d] [%.d]", REC->five, REC->five, REC->i, REC->five, '
        'REC->zero, REC->five',
        '"[%#x] [%#X] [%#o] [%#x] [%#010x] [%-#10x]", REC->u, REC->u, REC->u, REC->zero, REC->five, '
        'REC->five',
        '"[%*d] [%-*d] [%.*d] [%0*x]", REC->five, REC->i, REC->five, REC->three, REC->three, '
        'REC->five, REC->five, REC->u',
        '"%c %q %5", REC->five, REC->three',
        '"100%% \\"quoted\\" \\t| \\\\ %d\\n", REC->five',
        '"one " "two " "three %u", REC->three',
        '"no arguments"'])


@case('', '-F event,trace', '-D', 'stdin=perf.data', 'stdin=perf.data report -s trace,e0.i', 'stdin=perf.data report',
      'stdin=perf.data evlist', 'stdin=perf.data -F trace,ip', 'report --group', 'report --no-group', 'stdin=perf.data report --group -s sym')
def through_a_pipe(c):
    """Their formats are a record there, and perf asks for none of them in the header."""
    formats(c, ['"%d %s", REC->five, __get_str(str)', '"%x", REC->u'], pipe=True)


@case('-F event,trace', known=[('*', FAILED, 'Tracepoints')])
def expressions(c):
    formats(c, [
        '"%d %d %d", REC->five - REC->three - 1, REC->five * REC->three + 1, 1 + REC->five * 2',
        '"%d %d", REC->five * (REC->three + 1), (REC->five + 1) * REC->three',
        '"%d %d %d", REC->five & (REC->three | 8), (1 << REC->five) | 1, REC->u >> 4 & 0xf',
        '"%d %d %d", !REC->zero, ~REC->zero, -REC->five',
        '"%d %d", REC->five + -REC->three, REC->five * -REC->three',
        '"%d %d %d %d", REC->five == 5, REC->five != 5, REC->five <= 4, REC->five >= 5',
        '"%d %d", REC->five && REC->zero, REC->five || REC->zero',
        '"%d", REC->zero ? 1 : REC->three ? 2 : 3',
        '"%d %d", REC->three ? 10 : 20, (REC->zero ? 10 : 20) + 1',
        '"%d", REC->three ? 1 : 2 | 4',
        '"%s", REC->zero ? "yes" : "no"',
        '"%s", REC->three ? REC->zero ? "a" : "b" : "c"',
        '"%u %u %u %u", (u8)REC->u, (unsigned short)REC->u, (s16)REC->u, (unsigned int)REC->q',
        '"%llx %llx", (u64)REC->q, (unsigned long long)REC->q',
        '"%p %lx", (void *)REC->p, (unsigned long)REC->p',
        '"%u %u %u", REC->words[0], REC->words[3], ((u16 *)REC->words)[2]',
        '"%u %u", ((u32 *)__get_dynamic_array(dyn))[0], ((u32 *)__get_dynamic_array(dyn))[4]',
        '"%d %d", __get_dynamic_array_len(dyn), __get_dynamic_array_len(str) - 1',
        '"%d %x %d", 010, 0x1f, \'a\'',
        '"%d", __builtin_expect(!!(REC->three), 1)',
        '"%u %u", REC->five / REC->three, REC->five % REC->three',
        '"%u", REC->five ^ REC->three',
        '"%d", ((unsigned int) ((REC->u) >> 20))',
        '"%d,%d", ((unsigned int) ((REC->u) >> 20)), ((unsigned int) ((REC->u) & ((1U << 20) - 1)))'])


@case('-F event,trace', known=[('*', FAILED, 'Tracepoints')])
def strings(c):
    formats(c, [
        '"%s %s %s", REC->comm, REC->full, __get_str(str)',
        '"[%10s] [%-10s] [%.3s] [%.*s]", REC->comm, REC->comm, REC->comm, REC->three, REC->comm',
        '"%s | %s", REC->known, REC->other',
        '"%s %s", __get_rel_str(rel), __get_str(nothing)',
        '"%s", __get_bitmask(mask)',
        '"%s", __print_hex(REC->mac, 6)',
        '"%s", __print_hex_str(REC->mac, 6)',
        '"%s", __print_hex(__get_dynamic_array(dyn), __get_dynamic_array_len(dyn))',
        '"%s", __print_array(__get_dynamic_array(dyn), __get_dynamic_array_len(dyn) / 4, 4)',
        '"%s", __print_array(__get_dynamic_array(dyn), 3, 4)',
        '"%s", __print_array(REC->words, 4, 2)',
        '"%s", __print_array(REC->words, 3, 3)',
        '"%s %s", "text", REC->five',
        '"%pM %pm %pMF %pMR", REC->mac, REC->mac, REC->mac, REC->mac',
        '"%pI4 %pi4 %pI4h %pI4l %pI4n", REC->ip4, REC->ip4, REC->ip4, REC->ip4, REC->ip4',
        '"%pI6 %pi6 %pI6c", REC->ip6, REC->ip6, REC->ip6',
        '"%pI6c %pI6c %pI6", REC->mapped, REC->local, REC->mac',
        '"%pIS %pISp %pISpc %pISc", REC->sa4, REC->sa4, REC->sa4, REC->sa6',
        '"%pIS %pISp %pISpc", REC->sa6, REC->sa6, REC->sa6',
        '"%pU %pUb %pUB %pUl %pUL", REC->uuid, REC->uuid, REC->uuid, REC->uuid, REC->uuid',
        '"%*ph|%*phC|%*phD|%*phN", 5, __get_dynamic_array(dyn), 5, __get_dynamic_array(dyn), '
        '5, __get_dynamic_array(dyn), 50, __get_dynamic_array(dyn)',
        '"%pI4 %pM %pU %5ph", REC->mac, REC->ip4, REC->mac, REC->mac',
        '"%p %pK %px %p", REC->p, REC->p, REC->p, REC->zero',
        '"%ps %pS %pf %pF", REC->p, REC->p, REC->p, REC->p',
        '"%pB %p[%5p]", REC->p, REC->p, REC->p'])


@case('-F event,trace', known=[('*', FAILED, 'Tracepoints')])
def lists(c):
    flags = '{ 1, "ONE" }, { 2, "TWO" }, { 4, "FOUR" }'
    formats(c, [
        '"%s", __print_flags(REC->five, "|", ' + flags + ')',
        '"%s", __print_flags(REC->h, "|", ' + flags + ')',
        '"%s|%s", __print_flags(REC->zero, "|", ' + flags + '), __print_flags(REC->zero, "|", '
        '{ -1, "minus" }, { 1, "ONE" })',
        '"%s", __print_flags(REC->five, "", ' + flags + ')',
        '"[%8s]", __print_flags(REC->five, "|", ' + flags + ', )',
        '"%s", __print_flags(REC->five & 3, "|", ' + flags + ')',
        '"%s", __print_flags(REC->u, "|", { (1UL << 0), "a" }, { (1 << 1) | (1 << 2), "b" }, '
        '{ (unsigned long)(1 << 3), "c" })',
        '"%s %s", __print_symbolic(REC->three, { 1, "one" }, { 3, "three" }), '
        '__print_symbolic(REC->five, { 1, "one" }, { 3, "three" })',
        '"%s", __print_symbolic(REC->three, { 0, "a" }, { TASKLET_SOFTIRQ, "b" }, '
        '{ RCU_SOFTIRQ, "c" }, { 3 , "d" })',
        '"%s", __print_symbolic(REC->zero, { HI_SOFTIRQ, "HI" }, { 1, "T" })',
        '"%s%s", REC->three & 1 ? __print_flags(REC->five, "|", ' + flags + ') : "none", '
        'REC->three & 4 ? "+" : ""',
        '"%s", __print_symbolic(REC->sb, { -2, "minus two" }, { 0xfe, "fe" })'])


@case('-F event,trace', 'report -s +test:e7.sa4/raw,test:e7.sa6/raw',
      known=[('-F*', FAILED, 'Tracepoints'), ('report*', {rb'libtraceevent: .*?Warning:': b'Warning:'}, 'Tracepoints')])
def not_understood(c):
    formats(c, [
        '"%s", unknown_function(REC->five)',
        '"%d %d", REC->five',
        '"%d", __get_dynamic_array(dyn)[0]',
        '"%d", REC->five == 1 ? : 2',
        '"%lllld", REC->q',
        '"%d" REC->five',
        '"%s", __print_symbolic(REC->five, { 1, "one" }, { 3 * 2, "six" })',
        'REC->five'])


@case('-F event,trace', known=[('*', FAILED, 'Tracepoints')])
def of_ftrace(c):
    formats(c, ['"%u %d %u"', '"%lx", REC->l'], system='ftrace')


@case('', '-F trace', '-D', 'report -s trace,comm', 'report --raw-trace -s trace,comm')
def an_event_whose_samples_say_another_type(c):
    formats(c, ['"%d", REC->five'])
    d = Recording([Attr(2, 300, ms.SAMPLE_ID_ALL, TYPES, [300])])
    f = mkfeat.Features(d.pack)
    d.features['tracing_data'] = f.tracing_data(
        {'a': [f.trace_format('x', 300, ['int i']), f.trace_format('y', 301, ['int j'])]})
    d.features['event_desc'] = f.event_desc([(d.attrs[0].bytes(d.pack), 'a:x', [300])])
    d.sample(0x401000, 2000, raw=d.pack('HHiII', 301, 0, 0, 5, 0) + bytes(4))
    d.finished_round()
    d.write(c.folder + '/perf.data')


# The third field of each, and what else it may be.
THIRD = '\tfield:u16 h;\toffset:10;\tsize:2;\tsigned:0;\n'
READ = ('\tfield:u16 h;offset:10;size:2;signed:0;\n', '\tfield : u16 h ; offset : 012 ; size : 2 ;\n',
        '\tfield:u16 h;\toffset:0xa;\tsize:0x2;\tsigned:0; \n', 'field:u16 h;\toffset:10x;\tsize:2;\n',
        '\tfield:u16 h;\toffset:4294967306;\tsize:2;\tsigned:7;\n')
DAMAGED = ('offset:10:;\tsize:2;\tsigned:0;', 'offset:10;\tsize:2:;\tsigned:0;',
           'offset:10;\tsize:2;\tsigned:0:;', 'offset:;\tsize:2;\tsigned:0;',
           'offset:-10;\tsize:2;\tsigned:0;', 'offset:10;\tsize:2', 'offset:10;\tsigned:0;',
           'size:2;\tsigned:0;', 'size:2;\toffset:10;\tsigned:0;', 'offset:10;\tsize:2;\tsigned:0',
           'offset:10;\tsize:2;\tsigned:0;x', 'offset:10 x;\tsize:2;\tsigned:0;',
           'offset=10;\tsize:2;\tsigned:0;', 'offset:10;;\tsize:2;\tsigned:0;',
           'offset:10\n;\tsize:2;\tsigned:0;', 'offset:10;\tsize:"2";\tsigned:0;',
           'offset:10\0;\tsize:2;\tsigned:0;', 'offset:10;\tsize:2;\tsigned:0;\n')


@case('-F event,trace', 'evlist --trace-fields', known=[('*', FAILED, 'Tracepoints')])
def damaged_fields(c):
    """From the first word that is not what it must be, nothing is known."""
    changes = ([(THIRD, new) for new in READ]
               + [(THIRD, '\tfield:u16 h;\t%s\n' % new) for new in DAMAGED]
               + [('u16 h;', new) for new in ('h;', 'u16 h', 'u16 h:;', 'u16 h[2][2];', 'u16 h];',
                                              'u16 (h);', 'u16 "h";', 'u16, h;', 'u16\n h;')]
               + [('u16 h;', 'u16 h[2;'), ('offset:4;', 'offset:4:;'),
                  ('\n\n', '\n\n\n'), ('\nprint', '\n\nprint'), ('print fmt: ', 'print fmt:'),
                  ('print fmt: ', ' print  fmt :\t'), ('print fmt:', 'print\nfmt:'),
                  ('print fmt:', 'print fnt:')])
    formats(c, ['"%d %d", REC->h, REC->i'] * len(changes), changes=changes)


@case('', '-G', '-F+comm', '-F sw:ip,sym', '--max-stack 1 --ns', '--show-task-events', 'report --itrace=il8',
      'report --itrace=il8 -s +addr -g address', 'report -b')
def callers(c):
    """Where one was recorded with its callers they are shown, unless -F says otherwise."""
    c.program()
    formats(c, ['"%d", REC->i', '"%d", REC->h'], mapped=c.path, types=TYPES | ms.CALLCHAIN,
            chain=(ms.CHAIN_USER, 0x401000, 0x401003, 0x7f0000001000))


@case('-F event,trace')
def heads(c):
    """Blanks do not matter there, nor how a number is written."""
    changes = [('name: e', 'name:e'), ('ID: ', 'ID:'), ('ID: 302', 'ID: 0x12e'),
               ('ID: 303', 'ID: 0457'), ('ID: 304\n', 'ID: 304 '), ('format:', 'format : '),
               ('ID: 306', '\n\nID : 306\n\n')]
    formats(c, ['"%d", REC->h'] * len(changes), changes=changes)
