import re
import subprocess
import sys
from pathlib import Path

from publisher.rendering.codes.registry import CODE_BY_ID
from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.site.assets import template_file
from publisher.rendering.templates.markdown import render_markdown

REPOSITORY = Path(__file__).parents[5]
RECORDED_CODE = re.compile(r'"((?:G[0-7]|OUT)-[A-Z0-9]+-\d{3}|RUN-(?:LIMIT|TOOLS)-\d{3}|CONTEXT-BUDGET-\d{3})"')
GATE = re.compile(r'"(GATE-[A-Z]+)-\d{3}"')


TEXTS = {language.code: template_file(f"texts/architecture.{language.code}.md").decode() for language in LANGUAGES}


def sources(*folders: str) -> str:
    return "\n".join(
        path.read_text(encoding="utf-8") for folder in folders for path in sorted((REPOSITORY / folder).rglob("*.py"))
    )


def test_html_in_markdown_stays_text_and_no_link_runs_anything() -> None:
    html = render_markdown("# A\n\n<script>1</script> [x](javascript:1) <b>b</b>\n\n<div>\n")
    assert "<script" not in html
    assert "<div" not in html
    assert "href" not in html
    assert "&lt;b&gt;" in html


def test_tables_scroll_by_themselves_and_headings_can_be_linked_to() -> None:
    html = render_markdown("## How to verify\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert '<h2 id="how-to-verify">' in html
    assert '<div class="scroll" role="region" aria-label="How to verify" tabindex="0">' in html
    assert html.count('<th scope="col">') == 2


def test_a_heading_may_name_its_anchor_so_that_it_is_the_same_in_every_language() -> None:
    html = render_markdown("## 如何验证 {#how-to-verify}\n\n| a |\n|---|\n")
    assert '<h2 id="how-to-verify">如何验证</h2>' in html
    assert 'aria-label="如何验证"' in html
    anchors = [re.findall(r' id="([^"]+)"', render_markdown(text)) for text in TEXTS.values()]
    assert anchors[0][1:] == anchors[1][1:]


def test_every_code_that_a_run_can_record_is_explained_once() -> None:
    codes = set(RECORDED_CODE.findall(sources("engine")))
    assert len(codes) > 20
    assert codes <= set(CODE_BY_ID)


def test_every_gate_of_publishing_is_explained_once() -> None:
    gates = set(GATE.findall(sources("publisher/gates")))
    assert len(gates) > 5
    for page in TEXTS.values():
        assert {gate: page.count(f"| `{gate}` |") for gate in gates} == dict.fromkeys(gates, 1)


def test_every_text_is_the_same_in_its_commands_and_codes_in_every_language() -> None:
    blocks = [re.findall(r"```.*?```", text, re.S) for text in TEXTS.values()]
    assert blocks[0] == blocks[1]


def test_the_recipe_on_the_page_checks_a_run(site: Path, tmp_path: Path) -> None:
    recipe = re.search(r"```python\n(.*?)```", TEXTS["en"], re.S)
    assert recipe is not None
    (tmp_path / "check.py").write_text(recipe[1])
    run = sorted((site / "runs").glob("*.json"))[0]

    def check(file: Path) -> list[str]:
        command = [sys.executable, str(tmp_path / "check.py"), str(file)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    assert {line.split()[0] for line in check(run)} == {"ok"}
    assert len(check(run)) == 10
    run = next(path for path in sorted((site / "runs").glob("*.json")) if b'"verdict":"fail"' in path.read_bytes())
    (tmp_path / "forged.json").write_bytes(run.read_bytes().replace(b'"verdict":"fail"', b'"verdict":"pass"'))
    assert [line for line in check(tmp_path / "forged.json") if line.startswith("DIFFERS")] == ["DIFFERS judgment"]
