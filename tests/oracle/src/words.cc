// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

template <class T> T sum(const std::vector<T> &v)
{
    T s{};
    for (auto &x : v)
        s += x;
    return s;
}

int main(int argc, char **argv)
{
    std::vector<std::string> v(argv, argv + argc);
    std::map<std::string, int> m;
    for (auto &s : v)
        m[s]++;
    std::sort(v.begin(), v.end());
    std::cout << sum(v) << m.size() << "\n";
}
