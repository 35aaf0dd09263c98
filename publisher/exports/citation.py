"""How to cite a release: as BibTeX and in plain words. Its key never changes, whatever is published later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from publisher.exports.address import SiteAddress
from publisher.exports.identity import series_id, signer_names
from publisher.exports.interface import ExportFile, ExportSource
from publisher.rendering.views.release import ReleaseView, release_views
from publisher.rendering.visible_text import plain

_TITLES = 3
_LONGEST = 200
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_BY_DIGITS = {f"{number:02}": name for number, name in enumerate(_MONTHS, start=1)}
# Braces are counted by BibTeX even behind a backslash, so they are written as commands.
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "$": r"\$",
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "_": r"\_",
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Citation:
    """One release as it is cited."""

    number: int
    key: str
    authors: tuple[str, ...]
    title: str
    published_at: str
    log: str | None
    """What the log fixed, in words; None without a log."""
    url: str | None

    @property
    def bibtex(self) -> str:
        """One entry, each text escaped for LaTeX."""
        fields = {
            "author": _braced(" and ".join(_braced(latex(name)) for name in self.authors)),
            "title": _braced(_braced(latex(self.title))),
            "year": _braced(self.published_at[:4]),
            "month": _MONTH_BY_DIGITS.get(self.published_at[5:7], _braced("")),
            "version": _braced(str(self.number)),
            "note": _braced(latex(self.log or "")),
            "url": _braced(self.url or ""),
        }
        lines = [f"  {name} = {value}," for name, value in fields.items() if value != _braced("")]
        return "\n".join([f"@misc{{{self.key},", *lines, "}", ""])

    @property
    def words(self) -> str:
        """One line."""
        who, year = ", ".join(map(one_line, self.authors)), self.published_at[:4]
        named = f"{who} ({year}). {self.title}." if who else f"{self.title} ({year}). Not signed."
        return " ".join(part for part in (named, f"{self.log}." if self.log else "", self.url) if part)


def citations(source: ExportSource) -> Iterator[Citation]:
    """Every release, latest first."""
    series = series_id(source.snapshot.index)[:8]
    for found in release_views(source.snapshot):
        yield _citation(found, series, source.address)


def citation_files(source: ExportSource) -> Iterator[ExportFile]:
    """`citations/release-{number}.bib` and `.txt` for every release."""
    for citation in citations(source):
        for form, media_type, text in (
            ("bib", "application/x-bibtex", citation.bibtex),
            ("txt", "text/plain", f"{citation.words}\n"),
        ):
            yield ExportFile(
                name=f"citations/release-{citation.number}.{form}",
                title=f"Citation of release {citation.number}",
                media_type=media_type,
                data=text.encode(),
            )


def _citation(found: ReleaseView, series: str, address: SiteAddress | None) -> Citation:
    number, logged = found.release.number, found.logged
    fixed = f"Release log of {logged.size} entries with root hash {logged.root_hex}" if logged else None
    return Citation(
        number=number,
        key=f"glassbench-{series}-release-{number}",
        authors=signer_names(found),
        title=_title(found),
        published_at=found.release.published_at,
        log=fixed,
        url=address.of(f"releases.html#release-{number}") if address else None,
    )


def _title(found: ReleaseView) -> str:
    titles = list(dict.fromkeys(one_line(b.report.definition.template.title.en) for b in found.brought))
    named = "; ".join(titles[:_TITLES]) + (f"; and {len(titles) - _TITLES} more" if len(titles) > _TITLES else "")
    return f"Glassbench evaluation results, release {found.release.number}" + (f": {named}" if named else "")


def _braced(text: str) -> str:
    return f"{{{text}}}"


def one_line(text: str) -> str:
    """A text without line breaks and unseen characters, cut where it is very long."""
    words = " ".join(plain(text).split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def latex(text: str) -> str:
    """A text as LaTeX shows it, with no command and no brace of its own."""
    return one_line(text).translate(_LATEX)
