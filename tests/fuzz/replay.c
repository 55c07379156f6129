/* replay.c - feeds files to a fuzz target without a fuzzer.
 *
 * SPDX-License-Identifier: MIT
 *
 *     fuzz_NAME FILE-OR-FOLDER...
 *
 * Folders that do not exist are fine: a target may have no crashers yet.  Inputs of
 * every length up to 64 of a fixed pattern come on top, so that there is always
 * something to do. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned inputs;

static void file_feed(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    long size = ftell(f);
    rewind(f);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
        exit(2);
    fclose(f);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    inputs++;
}

static void folder_feed(const char *path)
{
    char name[4096];
    struct dirent *entry;
    DIR *dir = opendir(path);
    if (!dir)
        return;
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        file_feed(name);
    }
    closedir(dir);
}

static void patterns_feed(void)
{
    for (size_t n = 0; n <= 64; n++) {
        uint8_t *data = malloc(n ? n : 1); /* exact, so that a sanitizer sees the end */
        if (!data)
            exit(2);
        for (size_t i = 0; i < n; i++)
            data[i] = (uint8_t)(i * 37 + n);
        LLVMFuzzerTestOneInput(data, n);
        free(data);
        inputs++;
    }
}

int main(int argc, char **argv)
{
    struct stat sb;
    patterns_feed();
    for (int i = 1; i < argc; i++) {
        if (stat(argv[i], &sb) < 0)
            continue;
        if (S_ISDIR(sb.st_mode))
            folder_feed(argv[i]);
        else
            file_feed(argv[i]);
    }
    printf("%u inputs passed\n", inputs);
    return 0;
}
