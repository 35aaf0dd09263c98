"""What readers of a site look for, however they word it, in English and Chinese: `cheapest` and 性价比 are one concept.

A concept is one more term of a document, `~cost`, which no word can be. The manifest of an index carries the patterns
to the page: they are written to mean the same in Python (flag `A`) and in JavaScript, over folded text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from dataset.tools.search_concepts import TOOL_WORDINGS
from dataset.tools.search_terms import CHINESE_FILLERS, ENGLISH_FILLERS
from publisher.search.folding import folded

_WORDINGS: Mapping[str, tuple[str, str]] = {
    "invention": (
        r"hallucinat\w+|ma(?:de|kes?|king) (?:it |things )?up|invent(?:s|ed|ing)?|fabricat\w+|ungrounded|no source",
        "编造|捏造|幻觉|虚构|杜撰|无依据",
    ),
    "refusal": (
        r"refus\w+|den(?:y|ied|ies|ials?)|reject\w*|forbidden|(?:not|isn't|wasn't) (?:allowed|permitted)|disallow\w*|"
        r"block(?:s|ed|ing)?",
        "被?(?:拒绝|禁止|拦截)|不允许|拒",
    ),
    "cost": (
        r"cheap\w*|costs?|costly|prices?|priced|pricing|value|expensive|money|affordable",
        "性价比|成本|费用|价格|便宜|省钱|多少钱|花费|划算",
    ),
    "speed": (
        r"latenc(?:y|ies)|speeds?|fast(?:er|est)?|slow(?:er|est)?|quick(?:er|est)?|response times?",
        "延迟|时延|速度|最快|更快|多快|最慢|更慢|耗时|响应时间",
    ),
    "best": (
        r"best|top|winner|highest|leading|strongest|rank(?:s|ed|ing|ings)?|leaderboards?",
        "最好|最高|最佳|最强|最优|第一名|排名|名次|排行榜?",
    ),
    "certainty": (
        r"how (?:sure|certain)|confidence|confident|intervals?|uncertain\w*|error bars?|significan(?:t|ce|tly)|noise",
        "置信区间|置信|把握|误差|显著|不确定",
    ),
    "citation": (r"cit(?:e|es|ed|ing|ations?)|bibtex", "引用|引文|参考文献"),
    "download": (r"downloads?|downloading|csv|parquet|json|exports?|datasets?|archive", "下载|导出|数据集|归档"),
    "verification": (r"verif\w+|tamper\w*|signatures?|signed|checksums?|sha256", "验证|核验|校验|篡改|签名"),
    "comparison": (TOOL_WORDINGS["comparison"][0], TOOL_WORDINGS["comparison"][1]),
}
"""By concept: English words and phrases, and Chinese ones."""
_APART = r"(?<!\w)(?<!\w[-_.:/@])(?:{words})(?![-_.:/@]?\w)"
"""English words that stand for themselves: not a part of an identifier."""

CONCEPTS: Mapping[str, str] = {
    f"~{name}": rf"{_APART.format(words=english)}|{chinese}" for name, (english, chinese) in _WORDINGS.items()
}
"""For each term of a concept the pattern of its wordings; where two could match, the first does."""
FILLERS = (
    _APART.format(words="|".join(sorted(ENGLISH_FILLERS)))
    + f"|如何|怎样|哪个|哪种|为何|为什么|{CHINESE_FILLERS.pattern}"
)
"""What a query may say without asking for it: needed only where nothing else is asked."""
COMMON = _APART.format(words="models?|runs?|pages?") + "|模型|运行|页面"
"""Words that nearly every page of a site has: the same, but a page that has them is the better for it."""

_CONCEPTS = re.compile("|".join(f"(?P<{name[1:]}>{pattern})" for name, pattern in CONCEPTS.items()), re.ASCII)


def concept_counts(text: str) -> Counter[str]:
    """How often a text touches each concept, by its term."""
    return Counter(f"~{match.lastgroup}" for match in _CONCEPTS.finditer(folded(text)))
