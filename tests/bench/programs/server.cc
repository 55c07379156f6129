/* server.cc ROUNDS - a threaded server without a network: requests go through queues.
 *
 * SPDX-License-Identifier: MIT
 *
 * Two threads make requests as text, four parse them and ask a shared table, one adds up the
 * answers.  Queues have a lock and conditions, the table a lock for readers and writers.
 */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

template <class T> class Queue {
public:
    void put(T value)
    {
        std::unique_lock<std::mutex> hold(lock);
        room.wait(hold, [&] { return items.size() < 64; });
        items.push_back(std::move(value));
        filled.notify_one();
    }
    /* False when it is closed and empty. */
    bool get(T &value)
    {
        std::unique_lock<std::mutex> hold(lock);
        filled.wait(hold, [&] { return closed || !items.empty(); });
        if (items.empty())
            return false;
        value = std::move(items.front());
        items.pop_front();
        room.notify_one();
        return true;
    }
    void close()
    {
        std::lock_guard<std::mutex> hold(lock);
        closed = true;
        filled.notify_all();
    }

private:
    std::mutex lock;
    std::condition_variable room, filled;
    std::deque<T> items;
    bool closed = false;
};

class Table {
public:
    size_t get(const std::string &key)
    {
        std::shared_lock<std::shared_mutex> hold(lock);
        auto at = rows.find(key);
        return at == rows.end() ? 0 : at->second.size();
    }
    size_t set(const std::string &key, const std::string &value)
    {
        std::unique_lock<std::shared_mutex> hold(lock);
        std::string &row = rows[key];
        row = row.size() > 200 ? value : row + value;
        return row.size();
    }

private:
    std::shared_mutex lock;
    std::unordered_map<std::string, std::string> rows;
};

struct Handler {
    virtual ~Handler() = default;
    virtual size_t handle(Table &table, std::istringstream &words) = 0;
};

struct Get : Handler {
    size_t handle(Table &table, std::istringstream &words) override
    {
        std::string key;
        words >> key;
        return table.get(key);
    }
};

struct Set : Handler {
    size_t handle(Table &table, std::istringstream &words) override
    {
        std::string key, value;
        words >> key >> value;
        return table.set(key, value);
    }
};

struct Sort : Handler {
    size_t handle(Table &, std::istringstream &words) override
    {
        std::map<std::string, int> counts;
        for (std::string word; words >> word;)
            counts[word]++;
        return counts.empty() ? 0 : counts.begin()->first.size() + counts.size();
    }
};

static std::string request(unsigned n)
{
    static const char *const verbs[] = {"get", "set", "sort", "get"};
    std::string text = verbs[n >> 7 & 3];
    for (unsigned i = 0; i < 2 + (n >> 5 & 7); i++, n = n * 1103515245 + 12345)
        text += " k" + std::to_string(n >> 12 & 1023);
    return text;
}

static void ask(Queue<std::string> &in, unsigned seed, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        seed = seed * 1664525 + 1013904223;
        in.put(request(seed >> 8));
    }
}

static void serve(Queue<std::string> &in, Queue<size_t> &out, Table &table)
{
    std::map<std::string, std::unique_ptr<Handler>> handlers;
    handlers["get"] = std::make_unique<Get>();
    handlers["set"] = std::make_unique<Set>();
    handlers["sort"] = std::make_unique<Sort>();
    for (std::string line; in.get(line);) {
        std::istringstream words(line);
        std::string verb;
        words >> verb;
        out.put(handlers.at(verb)->handle(table, words));
    }
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    Queue<std::string> in;
    Queue<size_t> out;
    Table table;
    std::vector<std::thread> askers, servers;
    for (unsigned i = 0; i < 2; i++)
        askers.emplace_back(ask, std::ref(in), i + 1, rounds);
    for (int i = 0; i < 4; i++)
        servers.emplace_back(serve, std::ref(in), std::ref(out), std::ref(table));
    size_t sum = 0;
    std::thread adder([&] {
        for (size_t n; out.get(n);)
            sum += n;
    });
    for (std::thread &t : askers)
        t.join();
    in.close();
    for (std::thread &t : servers)
        t.join();
    out.close();
    adder.join();
    printf("%zu\n", sum);
    return 0;
}
