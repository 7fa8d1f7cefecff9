"""Training progress: a tqdm bar if tqdm is installed, also in notebooks; otherwise one line that is overwritten."""
from __future__ import annotations

import sys
import time
from typing import Any, Dict, Optional


class Progress:
    """Shows training progress; nothing with on=False."""

    def __init__(self, label: str, step: int, steps: int, on: bool) -> None:
        self._on, self._label, self._steps = on, label, steps
        self._begun, self._first, self._shown = time.monotonic(), step, -1.0
        self._width = 0
        self._bar: Optional[Any] = None
        if on:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=steps, initial=step, desc=label)

    def update(self, done: Dict[str, Any]) -> None:
        """Called after each step."""
        if self._bar is not None:
            self._bar.set_postfix(loss=f"{done['loss']:.3f}", refresh=False)
            self._bar.update(1)
        elif self._on and sys.stderr.isatty():
            now = time.monotonic()
            if now - self._shown >= 0.1 or done["step"] == self._steps:
                self._shown = now
                left = (now - self._begun) / (done["step"] - self._first) * (self._steps - done["step"])
                self._write(f"{self._label}  {done['step']}/{self._steps}  loss {done['loss']:.3f}  {clock(left)} left")
        if self._on and "valid" in done:
            self.note(f"step {done['step']}: {done['valid']['summary']}{', the best so far' if done['best'] else ''}")

    def note(self, text: str) -> None:
        """Prints a permanent line."""
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        elif self._on:
            self._write("")
            print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._width:
            print(file=sys.stderr, flush=True)
            self._width = 0

    def _write(self, line: str) -> None:
        if line or self._width:
            print("\r" + line.ljust(self._width), end="" if line else "\r", file=sys.stderr, flush=True)
        self._width = len(line)


def clock(seconds: float) -> str:
    """Formats seconds as 1:05 or 2:00:09."""
    whole = int(seconds + 0.5)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
