"""Keep a small ledger of stock movements and report what runs low."""
from __future__ import annotations

import argparse
import csv
import datetime as dt
import logging
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Iterator, Optional

log = logging.getLogger(__name__)


class LedgerError(Exception):
    """Raised when a movement cannot be booked."""


@dataclass(frozen=True, order=True)
class Movement:
    when: dt.date
    article: str
    amount: int
    reason: str = ""

    @classmethod
    def from_row(cls, row: dict[str, str], line: int) -> "Movement":
        try:
            return cls(
                when=dt.date.fromisoformat(row["date"].strip()),
                article=row["article"].strip().lower(),
                amount=int(row["amount"]),
                reason=row.get("reason", "").strip(),
            )
        except (KeyError, ValueError) as exc:
            raise LedgerError(f"line {line}: {exc}") from exc


@dataclass
class Ledger:
    minimum: dict[str, int] = field(default_factory=dict)
    _stock: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _history: list[Movement] = field(default_factory=list)

    def book(self, movement: Movement) -> None:
        after = self._stock[movement.article] + movement.amount
        if after < 0:
            raise LedgerError(
                f"{movement.article}: {-movement.amount} taken, only {self._stock[movement.article]} there"
            )
        self._stock[movement.article] = after
        self._history.append(movement)
        log.debug("booked %s, now %d", movement, after)

    def low(self) -> Iterator[tuple[str, int, int]]:
        for article, least in sorted(self.minimum.items()):
            have = self._stock.get(article, 0)
            if have < least:
                yield article, have, least

    def between(self, start: dt.date, end: Optional[dt.date] = None) -> list[Movement]:
        end = end or dt.date.max
        return [m for m in self._history if start <= m.when <= end]


def read_movements(path: Path) -> Iterable[Movement]:
    with path.open(newline="", encoding="utf-8") as handle:
        for number, row in enumerate(csv.DictReader(handle), start=2):
            if not any(row.values()):
                continue
            yield Movement.from_row(row, number)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="+")
    parser.add_argument("--minimum", action="append", default=[], metavar="ARTICLE=N")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args(argv)
    logging.basicConfig(level=logging.DEBUG if options.verbose else logging.WARNING)

    ledger = Ledger()
    for pair in options.minimum:
        article, _, number = pair.partition("=")
        ledger.minimum[article.lower()] = int(number)
    failures = 0
    for path in options.file:
        for movement in sorted(read_movements(path)):
            try:
                ledger.book(movement)
            except LedgerError as exc:
                failures += 1
                print(f"{path}: {exc}", file=sys.stderr)
    for article, have, least in ledger.low():
        print(f"{article:<20} {have:>6} of {least}")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
