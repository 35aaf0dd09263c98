"""The growing record of one run: every entry is told to the event sink the moment it exists."""

from __future__ import annotations

from dataset.artifacts.artifact import GuardrailCheck, ModelStep, Step, ToolStep, VisibleTools
from dataset.artifacts.outside_text import keep
from dataset.measures.searches import is_search
from engine.governance.interface import RuleVerdict
from engine.telemetry.event import EventSink


class Timeline:
    """Steps, loaded tools and verdicts in order; counts what limits and results need."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self.steps: list[Step] = []
        self.visible_tools: list[VisibleTools] = []
        self.checks: list[GuardrailCheck] = []
        self._executed: dict[tuple[str, str], int] = {}

    @property
    def next_step(self) -> int:
        """The number of the entry that comes next."""
        return len(self.steps)

    @property
    def model_steps(self) -> list[ModelStep]:
        """The model's replies so far."""
        return [step for step in self.steps if isinstance(step, ModelStep)]

    @property
    def tool_steps(self) -> list[ToolStep]:
        """The answered calls so far, refused ones too."""
        return [step for step in self.steps if isinstance(step, ToolStep)]

    @property
    def calls(self) -> list[ToolStep]:
        """The answered calls of tools of the catalogue, refused ones too: what limits and golds count."""
        return [step for step in self.tool_steps if not is_search(step)]

    @property
    def searches(self) -> list[ToolStep]:
        """The answered searches of the catalogue, refused ones too."""
        return [step for step in self.tool_steps if is_search(step)]

    def executed(self, tool: str, arguments: str) -> int:
        """How often a call with these canonical arguments was executed."""
        return self._executed.get((tool, arguments), 0)

    def load(self, loaded: VisibleTools) -> None:
        """Records the tools that the coming model step can see."""
        self.visible_tools.append(loaded)
        self._sink.emit("tools_loaded", loaded)

    def add(self, step: Step) -> None:
        """Records one step."""
        self.steps.append(step)
        if isinstance(step, ToolStep) and step.outcome == "executed" and isinstance(step.tool, str):
            key = (step.tool, step.arguments_parsed or "")
            self._executed[key] = self._executed.get(key, 0) + 1
        self._sink.emit("step", step)

    def check(self, check: GuardrailCheck) -> None:
        """Records one verdict."""
        self.checks.append(check)
        self._sink.emit("check", check)

    def governed(self, verdict: RuleVerdict, *, observation: bool, step: int, call_id: str) -> None:
        """Records one verdict of the governance chain on a call or its observation."""
        self.check(
            GuardrailCheck(
                point="observation" if observation else "tool_call",
                step=step,
                call_id=keep(call_id),
                guard=verdict.guard,
                verdict=verdict.verdict,
                code=verdict.code,
                detail=verdict.detail,
            )
        )

    async def flush(self) -> None:
        """Makes the record durable up to here."""
        await self._sink.flush()
