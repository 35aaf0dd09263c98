"""What a worker has really done since it last told: the only thing that its liveness is judged by."""

from __future__ import annotations

from collections.abc import Callable

from dataset.store.workers import Progress


class Tally:
    """Counts on the event loop; taken and, where telling failed, put back by the heartbeat."""

    def __init__(self, progressed: Callable[[], None] = lambda: None) -> None:
        self._progressed = progressed
        self._runs = self._slices = 0
        self._looked = False

    def run_recorded(self) -> None:
        """A run is recorded."""
        self._runs += 1
        self._progressed()

    def slice_served(self) -> None:
        """A slice was served, whatever came of it."""
        self._slices += 1
        self._progressed()

    def looked_for_work(self) -> None:
        """The database answered when it was asked for something to do."""
        self._looked = True
        self._progressed()

    def take(self) -> Progress | None:
        """What there is to tell, which is then told; None where nothing happened."""
        if not (self._runs or self._slices or self._looked):
            return None
        told = Progress(runs_recorded=self._runs, slices_served=self._slices)
        self._runs = self._slices = 0
        self._looked = False
        return told

    def put_back(self, told: Progress | None) -> None:
        """What couldn't be told."""
        if told is not None:
            self._runs += told.runs_recorded
            self._slices += told.slices_served
            self._looked = True
