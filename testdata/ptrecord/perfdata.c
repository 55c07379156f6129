/* perfdata.c - the container: header, attrs, data, features.
 *
 * SPDX-License-Identifier: MIT
 *
 *     file header | ids | attrs | front records, data | feature sections
 */
#include "testdata/ptrecord/perfdata.h"
#include "testdata/ptrecord/feature.h"
#include "testdata/ptrecord/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

enum { FILE_HEADER_SIZE = 104, COPY_SIZE = 1 << 16, NAME_ALIGN = 64 };
/* A record of the BUILD_ID feature: header, pid, build id and its size, name. */
enum { DSO_ID_AT = 12, DSO_NAME_AT = 36, MISC_BUILD_ID_SIZE = 1 << 15, MISC_USER = 2 };

static bool complain(const char *what, int error)
{
    msg_warn("%s: %s", what, strerror(error));
    return false;
}

/* Nothing is lost but what cannot be written. */
static bool complain_lost(const struct keep *k, int error)
{
    if (k->temp[0])
        msg_warn("%s: %s; the recording is %s", k->path, strerror(error), k->temp);
    else
        msg_warn("%s: %s; there is no recording%s", k->path, strerror(error),
                 k->direct ? "" : ", and what was there is as before");
    return false;
}

/* A file without a name in the folder of PATH, or where there always is one. */
static FILE *nameless_file(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int fd;

    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
             slash ? path : ".");
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fdopen(fd, "w+") : tmpfile();
}

bool perfdata_open(struct perfdata *p, const char *path)
{
    *p = (struct perfdata){0};
    if (!keep_begin(&p->out, path))
        return complain(path, errno);
    p->data = nameless_file(path);
    if (p->data)
        return true;
    complain("temporary file", errno);
    keep_drop(&p->out);
    return false;
}

void perfdata_put(struct perfdata *p, const void *bytes, size_t len)
{
    size_t n = p->error ? 0 : fwrite(bytes, 1, len, p->data);

    if (n < len && !p->error)
        p->error = errno;
    p->len += n;
}

void perfdata_mark_aux(struct perfdata *p, uint64_t size)
{
    buf_u64(&p->index, p->len);
    buf_u64(&p->index, size);
}

static bool dso_known(const struct buf *b, const struct rec_map *m)
{
    for (size_t at = 0; at < b->len; at += b->data[at + 6] | b->data[at + 7] << 8)
        if (!strcmp((const char *)b->data + at + DSO_NAME_AT, m->name) &&
            !memcmp(b->data + at + DSO_ID_AT, m->build_id, m->build_id_size))
            return true;
    return false;
}

void perfdata_dso(struct perfdata *p, const struct rec_map *m, bool in_mmap2)
{
    size_t len = (strlen(m->name) / NAME_ALIGN + 1) * NAME_ALIGN;
    struct buf *b = &p->build_ids;

    if (in_mmap2 || !m->build_id_size || dso_known(b, m))
        return;
    buf_u32(b, 0);
    buf_u16(b, MISC_USER | MISC_BUILD_ID_SIZE);
    buf_u16(b, (uint16_t)(DSO_NAME_AT + len));
    buf_u32(b, UINT32_MAX); /* the host */
    buf_put(b, m->build_id, sizeof(m->build_id));
    buf_u32(b, m->build_id_size);
    buf_str(b, m->name, NAME_ALIGN);
}

/* The sections up to the data; returns where the data begins. */
static uint64_t put_head(struct buf *b, const struct perfdata_head *h,
                         uint64_t data_len, uint64_t features)
{
    uint64_t ids_len = 8 * h->ring_n, attrs_at, attr_len = EVENT_ATTR_SIZE + 16;
    unsigned n = event_count(h->events), nth = 0;

    attrs_at = FILE_HEADER_SIZE + n * ids_len;
    buf_put(b, "PERFILE2", 8);
    buf_u64(b, FILE_HEADER_SIZE);
    buf_u64(b, attr_len);
    buf_u64(b, attrs_at);
    buf_u64(b, n * attr_len);
    buf_u64(b, attrs_at + n * attr_len);
    buf_u64(b, data_len);
    buf_zero(b, 16); /* event types, of old */
    buf_u64(b, features);
    buf_zero(b, 24);
    for (int k = 0; k < EVENT_KINDS; k++)
        for (uint32_t i = 0; h->events[k].used && i < h->ring_n; i++)
            buf_u64(b, event_id((enum event_kind)k, i));
    for (int k = 0; k < EVENT_KINDS; k++) {
        if (!h->events[k].used)
            continue;
        event_put_attr(b, &h->events[k]);
        buf_u64(b, FILE_HEADER_SIZE + nth++ * ids_len);
        buf_u64(b, ids_len);
    }
    return b->len;
}

static bool copy_data(struct perfdata *p)
{
    char piece[COPY_SIZE];
    size_t n;

    if (p->error)
        errno = p->error;
    if (p->error || fflush(p->data) || fseek(p->data, 0, SEEK_SET))
        return false;
    while ((n = fread(piece, 1, sizeof(piece), p->data)) > 0)
        if (fwrite(piece, 1, n, p->out.file) != n)
            return false;
    return !ferror(p->data);
}

static void perfdata_free(struct perfdata *p)
{
    fclose(p->data);
    buf_free(&p->index);
    buf_free(&p->build_ids);
}

bool perfdata_close(struct perfdata *p, const struct perfdata_head *h)
{
    struct buf head = {0}, tail = {0};
    uint64_t data_len = h->front->len + p->len;
    uint64_t data_at = put_head(&head, h, data_len, feature_bits(h, p));
    FILE *out = p->out.file;
    bool ok;

    feature_put(&tail, h, p, data_at, data_at + data_len);
    ok = fwrite(head.data, 1, head.len, out) == head.len &&
         fwrite(h->front->data, 1, h->front->len, out) == h->front->len &&
         copy_data(p) && fwrite(tail.data, 1, tail.len, out) == tail.len;
    if (!ok) {
        int error = errno;
        keep_drop(&p->out);
        complain_lost(&p->out, error);
    } else if (!keep_end(&p->out)) {
        ok = complain_lost(&p->out, errno);
    }
    buf_free(&head);
    buf_free(&tail);
    perfdata_free(p);
    return ok;
}

void perfdata_drop(struct perfdata *p)
{
    keep_drop(&p->out);
    perfdata_free(p);
}
