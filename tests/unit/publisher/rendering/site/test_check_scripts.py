"""The site's scripts, those of the run page most of all, as far as they can be judged without a browser."""

from __future__ import annotations

import re
from importlib.resources import files

from dataset.artifacts.artifact import ARTIFACT_SCHEMA, SECTION_NAMES
from dataset.artifacts.withdrawn import Withdrawn
from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.site.assets import NAMES, SCRIPTS, SEARCH_SCRIPT, asset_bytes, template_file
from publisher.rendering.templates.environment import environment_of

LARGEST = 15_000
"""More than the bytes of all scripts together, as they are sent, but the one that searches."""
SHIPPED = sorted(found.name for found in files("site_templates").iterdir() if found.name.endswith(".js"))


def read(name: str) -> str:
    return template_file(name).decode()


def test_all_scripts_together_stay_small() -> None:
    assert sorted(name for name in NAMES if name.endswith(".js")) == SHIPPED
    assert sum(len(asset_bytes(name)) for name in SHIPPED if name != SEARCH_SCRIPT) < LARGEST


def test_the_scripts_name_the_sections_and_schemas_of_an_artifact() -> None:
    evidence = read("evidence.js")
    listed = re.search(r"const SECTIONS = \[(.*?)\];", evidence, re.S)
    assert listed
    assert tuple(re.findall(r'"(\w+)"', listed[1])) == tuple(SECTION_NAMES)
    assert re.findall(r'"(glassbench\.\w+/\d+)"', evidence) == [
        ARTIFACT_SCHEMA,
        Withdrawn.model_fields["schema_"].default,
    ]


def test_no_script_makes_markup_or_code_of_a_string_or_names_another_host() -> None:
    for name in SHIPPED:
        text = read(name)
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(", text), name
        assert "://" not in text, name


def test_every_line_of_a_script_is_short_enough_to_read() -> None:
    assert [(name, line) for name in SCRIPTS for line in read(name).splitlines() if len(line) > 120] == []


def test_the_page_has_a_place_for_all_that_the_script_looks_for() -> None:
    panel = read("check_panel.html")
    wanted = set(re.findall(r'\bat\("(\w+)"\)', read("check.js"))) | {"insecure", "picker", "form"}
    assert wanted <= set(re.findall(r'data-check="(\w+)"', panel))


def test_the_scripts_say_nothing_that_the_page_does_not_give_them() -> None:
    panel, scripts = read("check_panel.html"), "".join(map(read, SCRIPTS))
    given = set(re.findall(r'^data-(\w+)="\{\{ _', panel, re.M))
    said = set(re.findall(r'\b(?:say|fail|check|attempt)\("(\w+)"', scripts))
    said |= set(re.findall(r'\btell\("(\w+)", "(\w+)"', scripts)[0])
    assert said <= given
    indirect = {"digest", "hash"} | {"checkpoint", "proof", "key"}
    built = {f"{start}{word}" for start in ("its", "is", "not") for word in indirect}
    assert [name for name in given - said - built if f'"{name}"' not in scripts and f"{name}:" not in scripts] == []


def test_no_text_of_the_panel_ends_its_attribute_early() -> None:
    for language in LANGUAGES:
        said = environment_of(language).get_template("check_panel.html").module.texts  # type: ignore[attr-defined]
        assert re.fullmatch(r'(data-\w+="[^"<>]*"\n?)+', str(said))
