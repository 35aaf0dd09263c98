"""What people want of a thing, however they word it: the same concept for `late`, `run out` and 到期."""

from __future__ import annotations

import re
from collections.abc import Mapping

TOOL_WORDINGS: Mapping[str, tuple[str, str]] = {
    "list": (
        r"lists?|listing|overview|newest|latest|recent|upcoming|all (the|my|our)",
        "列出|清单|列表|一览|最新|最近|所有|哪些|全部",
    ),
    "detail": (
        r"details?|everything|in full|full|complete|more about|specifics|information|info|exactly|says",
        "详情|详细|明细|具体|全部信息|信息|内容",
    ),
    "search": (
        r"search(es)?|find(s|ing)?|look(ing)? (for|up)|locate|keyword|by name|reference|certain",
        "搜索|搜|查找|找一|找到|检索|关键词|编号|某",
    ),
    "progress": (
        r"status|state|progress|how far|far along|stage|step|approved|approval yet|pending|done yet|ready|where is",
        "进度|进展|状态|到哪|哪一步|怎么样|批准|批了|审批到|办好|完成了",
    ),
    "change": (
        r"histor(y|ies)|chang(e|ed|es|ing)|edit(ed|s)?|modif(y|ied|ies)|altered|touched|revis\w+|audit|versions?",
        "历史|修改|变更|改过|改了|改动|动过|更改|版本",
    ),
    "total": (
        r"totals?|sums?|adds? up|how (many|much)|altogether|in all|overall|per (month|team)|by (month|team|category)|"
        r"statistics|count|spen[dt]",
        "合计|总计|总额|总共|一共|共计|总数|总时长|统计|汇总|多少|累计|花了",
    ),
    "deadline": (
        r"overdue|late|delay\w*|expir\w+|due|deadlines?|run(s|ning)? out|in time|soon|should have|lapse\w*|already",
        "逾期|过期|到期|超期|截止|迟|晚了|拖|失效|期限|该到|延误|快要",
    ),
    "comparison": (
        r"compar\w+|side by side|differ\w*|versus|vs|better|next to each other|against",
        "对比|比较|差异|差别|区别|不同|哪个好|相比|差在",
    ),
    "future": (
        r"forecasts?|predict\w*|estimat\w*|future|next (week|month|quarter|year|winter|summer)s?|coming|will|going to|"
        r"expect\w*|project(ed|ion)|trend",
        "预测|预计|预估|未来|以后|今后|下个?(月|季|年|周)|将来|趋势|将会|大概",
    ),
    "rule": (
        r"polic(y|ies)|rules?|allow(ed|ance)?|entitled|may (i|we|one)|can (i|we)|limits?|permitted|regulations?|"
        r"eligib\w+|who may|exceptions?|reserve",
        "制度|规定|规则|政策|允许|上限|限制|能不能|可不可以|可以|资格|标准|最多|额度",
    ),
    "person": (
        r"contacts?|who|whom|responsible|in charge|person|phone|e-?mail|call|looks after|owner|talk to|reach|runs",
        "负责|联系|谁管|归谁|找谁|电话|邮箱|管理员|对接|经办",
    ),
    "document": (
        r"files?|documents?|attach\w*|downloads?|pdfs?|papers?|copy of|confirmations?|scans?",
        "附件|文件|下载|文档|扫描|原件|凭证|PDF",
    ),
}
"""By concept, as patterns: English words and phrases, and Chinese ones. They are part of what `tool_search/1` names:
the search of a site, which takes some of them over, adds its own in `publisher/search/concepts.py`."""

_CONCEPTS = {
    concept: re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)
    for concept, (english, chinese) in TOOL_WORDINGS.items()
}


def concepts(text: str) -> list[str]:
    """The concepts that a text touches, each once, as terms that no word can be: `~deadline`."""
    return [f"~{concept}" for concept, wording in _CONCEPTS.items() if wording.search(text)]
