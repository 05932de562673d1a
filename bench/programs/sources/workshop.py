"""A workshop of threads: orders go through queues from one station to the next, a token runs around a ring, and
clerks move money between shared accounts."""
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import Queue
from threading import Lock

KINDS = ["chair", "table", "lamp"]
PRICES = {"chair": 20, "table": 80, "lamp": 35}


@dataclass(slots=True)
class Order:
    id: int
    kind: str
    parts: list
    price: int = 0
    checksum: int = 0


class Random:
    def __init__(self, seed):
        self.seed = seed

    def below(self, n):
        self.seed = self.seed * 16_807 % 2_147_483_647
        return self.seed % n


def take_orders(count, orders):
    random = Random(29)
    for id in range(1, count + 1):
        parts = [random.below(50) + 1 for _ in range(random.below(4) + 1)]
        orders.put(Order(id, KINDS[random.below(3)], parts))


def cut(orders, cut_orders):
    """Cuts the parts of orders until there are no more. Returns how many there were."""
    done = 0
    while (order := orders.get()) is not None:
        checksum = 0
        for part in order.parts:
            for i in range(1, part + 1):
                checksum = (checksum * 31 + i * part) % 65_521
        cut_orders.put(replace(order, checksum=checksum))
        done += 1
    return done


def calculate(cut_orders, finished):
    while (order := cut_orders.get()) is not None:
        finished.put(replace(order, price=PRICES[order.kind] + sum(order.parts)))


def close(queue, readers):
    """Queues of Python 3.11 have no end: each reader gets a None."""
    for _ in range(readers):
        queue.put(None)


def produce(count):
    orders, cut_orders, finished = Queue(8), Queue(8), Queue(8)

    def closing():
        customer.result()
        close(orders, len(cutters))
        done = sum(cutter.result() for cutter in cutters)
        close(cut_orders, len(clerks))
        for clerk in clerks:
            clerk.result()
        close(finished, 1)
        return done

    with ThreadPoolExecutor(max_workers=8) as threads:
        customer = threads.submit(take_orders, count, orders)
        cutters = [threads.submit(cut, orders, cut_orders) for _ in range(4)]
        clerks = [threads.submit(calculate, cut_orders, finished) for _ in range(2)]
        closed = threads.submit(closing)

        sold = defaultdict(int)
        income = 0
        checksum = 0
        while (order := finished.get()) is not None:
            sold[order.kind] += 1
            income += order.price
            checksum = (checksum + order.id * order.checksum) % 1_000_003
        print(f"{closed.result()} orders, income {income}, checksum {checksum}")
    print(", ".join(f"{kind}: {sold[kind]}" for kind in KINDS))


def pass_on(inbox, outbox, last):
    passed = 0
    while (token := inbox.get()) is not None:
        passed += 1
        if token == 0:
            last.put(passed)
            break
        outbox.put(token - 1)
    return passed


def ring(size, rounds):
    places = [Queue(1) for _ in range(size)]
    last = Queue(1)
    with ThreadPoolExecutor(max_workers=size) as threads:
        running = [threads.submit(pass_on, places[i], places[(i + 1) % size], last) for i in range(size)]
        places[0].put(size * rounds)
        ended = last.get()
        for place in places:
            place.put(None)
        passed = sum(thread.result() for thread in running)
    return f"the ring passed {passed} tokens, the last thread {ended}"


def transfer(balances, lock, seed, count):
    random = Random(seed)
    refused = 0
    for _ in range(count):
        giver, taker, amount = random.below(10), random.below(10), random.below(100)
        with lock:
            if balances[giver] < amount:
                refused += 1
            else:
                balances[giver] -= amount
                balances[taker] += amount
    return refused


def accounts(clerks, count):
    balances = [1000] * 10
    lock = Lock()
    with ThreadPoolExecutor(max_workers=clerks) as threads:
        running = [threads.submit(transfer, balances, lock, (i + 1) * 101, count) for i in range(clerks)]
        refused = sum(thread.result() for thread in running)
    state = "none overdrawn" if refused >= 0 and min(balances) >= 0 else "overdrawn"
    return f"{clerks * count} transfers, {sum(balances)} in all, {state}"


def main():
    size = int(sys.argv[1])
    produce(size * 10)
    print(ring(20, size // 4))
    print(accounts(8, size))


main()
