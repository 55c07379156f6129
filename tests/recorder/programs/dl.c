/* dl.c - dlopen, dlclose, dlopen of another library at the same address.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

typedef int function(int);

int main(int argc, char **argv)
{
    void *old = NULL;
    int sum = 0, same = 0;
    for (int i = 0; argc > 2 && i < 6; i++) {
        void *lib = dlopen(argv[1 + i % 2], RTLD_NOW | RTLD_LOCAL);
        if (!lib) {
            puts(dlerror());
            return 1;
        }
        function *f = (function *)dlsym(lib, "plugin");
        Dl_info info;
        dladdr((void *)f, &info);
        same += info.dli_fbase == old;
        old = info.dli_fbase;
        for (int k = 0; k < 10; k++)
            sum += f(k);
        dlclose(lib);
    }
    printf("%d, %d times at the same address\n", sum, same);
    return 0;
}
