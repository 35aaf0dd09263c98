"""The table of errors and intervals of a batch."""

from publisher.rendering.batches.group import whole_group
from publisher.rendering.batches.spread import ALIKE, spread_of
from tests.factories.boards import BoardModel, make_report, share


def test_where_nothing_varies_a_dash_stands_and_one_line_explains_it() -> None:
    for passing, explained in ((10, True), (9, False)):
        report = make_report(
            "batch-1", [BoardModel(key="even", passes=share(passing)), BoardModel(key="odd", passes=share(5))]
        )
        found = spread_of(report, [whole_group(model, report) for model in report.definition.models])
        assert found is not None
        assert any(cell.text == ALIKE for column in found.columns for cell in column.cells) is explained
        assert bool(found.alike) is explained
