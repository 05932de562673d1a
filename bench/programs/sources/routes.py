"""Ways through a random map: Dijkstra's algorithm, breadth-first search, and connected parts."""
import sys
from collections import Counter, namedtuple

Edge = namedtuple("Edge", "to length")


class Queue:
    """Nodes in the order of their distance: a binary heap of pairs."""

    def __init__(self):
        self.items = []

    def push(self, distance, node):
        items = self.items
        items.append((distance, node))
        i = len(items) - 1
        while i > 0:
            parent = (i - 1) // 2
            if items[parent][0] <= items[i][0]:
                break
            items[i], items[parent] = items[parent], items[i]
            i = parent

    def pop(self):
        items = self.items
        if not items:
            return None
        top = items[0]
        last = items.pop()
        if not items:
            return top
        items[0] = last
        i = 0
        while True:
            least = i
            for child in (2 * i + 1, 2 * i + 2):
                if child < len(items) and items[child][0] < items[least][0]:
                    least = child
            if least == i:
                return top
            items[i], items[least] = items[least], items[i]
            i = least


class Groups:
    def __init__(self, count):
        self.parents = list(range(count))
        self.sizes = [1] * count

    def root(self, node):
        parents = self.parents
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    def join(self, a, b):
        a, b = self.root(a), self.root(b)
        if a == b:
            return
        if self.sizes[a] < self.sizes[b]:
            a, b = b, a
        self.parents[b] = a
        self.sizes[a] += self.sizes[b]


class Random:
    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = self.seed * 16_807 % 2_147_483_647
        return self.seed % n


def build(side, random):
    """A square of places. Most neighbours are connected; some places have a long road to any other."""
    edges = [[] for _ in range(side * side)]
    for y in range(side):
        for x in range(side):
            here = y * side + x
            if x + 1 < side and random.below(10) < 6:
                connect(edges, here, here + 1, random.below(9) + 1)
            if y + 1 < side and random.below(10) < 6:
                connect(edges, here, here + side, random.below(9) + 1)
            if random.below(50) == 0:
                connect(edges, here, random.below(side * side), 20 + random.below(30))
    return edges


def connect(edges, a, b, length):
    edges[a].append(Edge(b, length))
    edges[b].append(Edge(a, length))


def distances(edges, start):
    best = {start: 0}
    previous = {}
    done = set()
    queue = Queue()
    queue.push(0, start)
    while entry := queue.pop():
        distance, node = entry
        if node in done:
            continue
        done.add(node)
        for edge in edges[node]:
            through = distance + edge.length
            known = best.get(edge.to)
            if known is None or through < known:
                best[edge.to] = through
                previous[edge.to] = node
                queue.push(through, edge.to)
    return best, previous


def way(previous, goal):
    nodes = [goal]
    while (node := previous.get(nodes[-1])) is not None:
        nodes.append(node)
    return nodes[::-1]


def steps(edges, start):
    found = {start: 0}
    border = [start]
    while border:
        reached = []
        for node in border:
            for edge in edges[node]:
                if edge.to in found:
                    continue
                found[edge.to] = found[node] + 1
                reached.append(edge.to)
        border = reached
    return found


def main():
    side = int(sys.argv[1])
    edges = build(side, Random(5))
    groups = Groups(len(edges))
    for node, connected in enumerate(edges):
        for edge in connected:
            groups.join(node, edge.to)
    sizes = sorted(Counter(groups.root(node) for node in range(len(edges))).values(), reverse=True)
    largest = ", ".join(str(size) for size in sizes[:3])
    print(f"{len(edges)} places, {sum(len(e) for e in edges) // 2} roads, {len(sizes)} parts, the largest {largest}")

    start = next(node for node in range(len(edges)) if groups.sizes[groups.root(node)] == sizes[0])
    best, previous = distances(edges, start)
    far = max(best, key=lambda node: (best[node], -node))
    print(f"from {start}: {len(best)} reached, the sum {sum(best.values())}, {far} is farthest with {best[far]}")
    nodes = way(previous, far)
    print(f"the way there has {len(nodes)} places, their sum is {sum(nodes)}")
    found = steps(edges, start)
    print(f"at most {max(found.values())} steps, {sum(found.values())} in all")


main()
