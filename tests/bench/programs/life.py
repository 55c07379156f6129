# life.py ROUNDS - a pure python program as many are: objects, dicts, strings, recursion.
#
# SPDX-License-Identifier: MIT
import sys


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        side = 'left' if key < self.key else 'right'
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Node(key))
        else:
            child.insert(key)

    def walk(self):
        if self.left:
            yield from self.left.walk()
        yield self.key
        if self.right:
            yield from self.right.walk()


def numbers(n, seed):
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7fffffff
        yield seed


def tokens(text):
    word = ''
    for c in text:
        if c.isalnum():
            word += c
        elif word:
            yield word
            word = ''


def queens(n, row=0, cols=0, left=0, right=0):
    if row == n:
        return 1
    found = 0
    for c in range(n):
        bit = 1 << c
        if not (cols & bit or left & bit or right & bit):
            found += queens(n, row + 1, cols | bit, (left | bit) << 1, (right | bit) >> 1)
    return found


def once(seed):
    tree = Node(1 << 30)
    for n in numbers(1500, seed):
        tree.insert(n)
    text = ' '.join('%d:%x' % (n % 977, n) for n in tree.walk())
    counts = {}
    for word in tokens(text):
        counts[word] = counts.get(word, 0) + 1
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]
    return best, queens(6)


for i in range(int(sys.argv[1])):
    print(once(i + 1))
