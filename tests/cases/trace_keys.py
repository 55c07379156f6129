"""report: fields of tracepoints as keys."""
from cases import case
import mkfeat
from mkperf import Attr, Recording
import mksample as ms

TYPES = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.RAW
ONE = (('int number', 8, 4, 1), ('char word[8]', 12, 8, 0), ('__data_loc char[] text', 20, 4, 0), ('__data_loc u16[] words', 24, 4, 0))
OTHER = (('s16 number', 8, 2, 1), ('u8 same', 10, 1, 0))


def layout(name, number, fields, text):
    lines = ''.join('\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' % f for f in fields)
    return ('name: %s\nID: %d\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
            '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s\nprint fmt: %s\n' % (name, number, lines, text))


KEYS = tuple('report ' + o for o in (
    '-s trace_fields', '--raw-trace', '-s trace_fields/raw -n', '-s i', '-s number,one', '-s a:one.number,comm', '-s %2.text', '-s one.*,comm -n',
    '-s number/raw,number', '-s text', '-s text,words -t ,', '-s comm,%1.common_pid', '-s number -w 20,9,3', '-s comm,number -c t', '-s nosuch', '-s a:nosuch.number',
    '-s one.nosuch', '-s o.number', '-s number/none', '-s %9.number', '-s %3.number', '-s %0.number -q', '-F number', '-F +comm -s number', '-s trace,number',
    '-s +number', '-s {number,text},comm --hierarchy', '--hierarchy -s comm,trace_fields -n', '--hierarchy -s text', '--hierarchy -s number,sym --percent-limit 30',
    '-s number --group -n', '-s number,sym -g caller', '-s text,sym --no-children', '-s number -g none --stdio-color always', '-s words,text --percent-limit 20',
    '-s number -U', '-s number,cpu,pid --show-cpu-utilization', '-s three.number,one.number', '--hierarchy -s number,comm,number/raw', '-s one.*,comm,one.number,text/raw', '-s same', '-s x.trace_fields -d t'))


@case(*KEYS)
def of_several_events(c):
    """Of three events of which two have one format, and a clock."""
    types = TYPES | ms.CALLCHAIN
    attrs = [Attr(2, 300, ms.SAMPLE_ID_ALL, types, [300]), Attr(2, 301, ms.SAMPLE_ID_ALL, types, [301]),
             Attr(2, 300, ms.SAMPLE_ID_ALL, types, [302]), Attr(1, 0, ms.SAMPLE_ID_ALL, types, [303])]
    d = Recording(attrs)
    f = mkfeat.Features(d.pack)
    d.features['tracing_data'] = f.tracing_data({'a': [
        layout('one', 300, ONE, '"number=%d text=%s, word end", REC->number, __get_str(text)'),
        layout('other', 301, OTHER, '"same %d number=%x", REC->same, REC->number')]})
    d.features['event_desc'] = f.event_desc([(a.bytes(d.pack), name, a.ids) for a, name in zip(
        attrs, ('a:one', 'a:other', 'a:one', 'cpu-clock'))])
    for k in range(3):
        d.comm('tu'[k % 2] + 'x' * k, 1000, tid=4242 + k)
    for k in range(30):
        attr = attrs[k % 4]
        text = (b'a', b'longer text', b'bc', b'')[k * 5 % 4] + b'\0'
        if attr.config == 300:
            raw = d.pack('HHii', 300, 0, 77 + k % 3, k % 5 - 2) + (b'word%d' % (k % 3)).ljust(8, b'\0')
            raw += d.pack('II', len(text) << 16 | 28, (2 + k % 2 * 2) << 16 | (28 + len(text))) + text
            raw += d.pack('HH', k % 3, 7)
        else:
            raw = d.pack('HHiHB', 301, 0, 77, k % 3 - 1, k)
        d.sample(0x401000 + k % 3, 2000 + k, attr=attr, raw=raw + bytes((4 - len(raw)) % 8), tid=4242 + k % 3,
                 chain=[ms.CHAIN_USER, 0x401000 + k % 3, 0x401100, 0x401200 + k % 2])
    d.finished_round()
    d.write(c.folder + '/perf.data')
