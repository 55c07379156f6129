/* except.cc - C++: exceptions through frames with destructors, virtual calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Guard {
    int &count;
    explicit Guard(int &c) : count(c) {}
    ~Guard() { count++; }
};

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side;
    explicit Square(double s) : side(s) {}
    double area() const override { return side * side; }
};
struct Broken : Shape {
    double area() const override { throw std::runtime_error("no area"); }
};

int unwound;

double measure(const Shape &shape, int depth)
{
    Guard guard(unwound);
    return depth ? measure(shape, depth - 1) + 1 : shape.area();
}

void rethrow(int depth)
{
    Guard guard(unwound);
    try {
        if (depth == 0)
            throw std::out_of_range("deep");
        rethrow(depth - 1);
    } catch (const std::logic_error &) {
        if (depth % 2)
            throw;
        throw std::runtime_error("changed");
    }
}

} // namespace

int main()
{
    std::vector<std::unique_ptr<Shape>> shapes;
    std::map<std::string, int> seen;
    for (int i = 0; i < 20; i++)
        if (i % 3)
            shapes.push_back(std::make_unique<Square>(i));
        else
            shapes.push_back(std::make_unique<Broken>());
    double total = 0;
    for (const auto &shape : shapes) {
        try {
            total += measure(*shape, 5);
            seen["fine"]++;
        } catch (const std::exception &e) {
            seen[e.what()]++;
        }
    }
    for (int i = 0; i < 6; i++) {
        try {
            rethrow(i);
        } catch (const std::exception &e) {
            seen[e.what()]++;
        }
    }
    for (const auto &one : seen)
        std::printf("%s %d\n", one.first.c_str(), one.second);
    std::printf("%.1f %d\n", total, unwound);
}
