"""The random numbers of mees: Philox4x32-10 in counter mode (docs/domain-description.md)."""

from __future__ import annotations

import math

MASK = 0xFFFFFFFF


def block(counter, key):
    """Four 32-bit numbers."""
    c, (k0, k1) = list(counter), key
    for _ in range(10):
        low, high = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [
            (high >> 32) ^ c[1] ^ k0,
            high & MASK,
            (low >> 32) ^ c[3] ^ k1,
            low & MASK,
        ]
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c


class Stream:
    """The stream of (seed, purpose, generation, index), as in the programs."""

    def __init__(self, seed, purpose, generation, index):
        self._key = (seed & MASK, (seed >> 32) & MASK)
        self._place = (index, generation, purpose)
        self._blocks, self._numbers, self._spare = 0, [], None

    def next(self):
        if not self._numbers:
            self._numbers = block((self._blocks, *self._place), self._key)
            self._blocks += 1
        return self._numbers.pop(0)

    def uniform(self, lower=0.0, upper=1.0):
        number = (self.next() << 32 | self.next()) >> 11
        return lower + (upper - lower) * (number * 2.0**-53)

    def normal(self):
        if self._spare is not None:
            spare, self._spare = self._spare, None
            return spare
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        angle = 2 * math.pi * self.uniform()
        self._spare = radius * math.sin(angle)
        return radius * math.cos(angle)
