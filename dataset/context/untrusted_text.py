"""Text from outside, made harmless to the form of a conversation: nothing in it can pass for the form itself.

It stays readable. What has the form of a conversation gets a `¦` in it, what can't be seen becomes one. This is no
filter for what a text says: an order in plain words stays as it is, inside its fence.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import get_args

from dataset.context.look_alikes import folded
from dataset.questions.session import ItemCategory

BREAK = "¦"
"""What is put into a look-alike of the form, and in the place of a character that can't be seen."""

_ROLES = "system|user|assistant|human|developer|model|ai|tool|ipython|bot|bos|eos"
_TURNS = f"inst|{_ROLES}|system_prompt|available_tools|tool_calls?|tool_results?|tool_content"
_TAGS = (
    f"{_ROLES}|s|pad|unk|cls|sep|mask|start_of_turn|end_of_turn|start_of_image|im_start|im_end|im_sep|endoftext|eot_id|"
    "tools|tool_calls?|tool_responses?|tool_results?|function|functions|function_calls?|function_results?|invoke|"
    "instructions?|think|thinking|message|turn|prompt|context|conversation"
)
_S = r"[^\S\n]"
# Spaces are taken once and for all: a long run of them, tried in every split, would take the square of its length.
_FORMS = "|".join(
    (
        rf"<(?={_S}*+/?{_S}*+\|)",  # <|im_start|>, <｜User｜>
        rf"<(?={_S}*+<{_S}*+/?{_S}*+sys\b)",  # <<SYS>>
        rf"<(?={_S}*+/?{_S}*+(?:\w{{1,20}}:)?(?:{_TAGS})(?![\w-]))",  # <system>, </s>, <start_of_turn>
        rf"\[(?={_S}*+/?{_S}*+(?:{_TURNS})\b)",  # [INST]
        rf"\[(?={_S}*+(?:end{_S}++of{_S}++)?data\b)",  # our fence
        rf"\[(?={_S}*+(?:{'|'.join(get_args(ItemCategory))})\b)",  # our headings
        rf"\[(?={_S}*+\d++{_S}++entr(?:y|ies)\b)",  # our lists and notes
        rf"#(?={_S}*+(?:instructions?|input|response|system|user|assistant|human)\b)",  # ### Instruction:
    )
)
_FORM = re.compile(rf"(?:{_FORMS})")
_TURN = re.compile(
    r"^(?:[^\S\n]|[>*#-])*+(?=(?:system|user|assistant|human|developer|tool|ai|系统|用户|助手|助理|开发者)"
    r"(?:[^\S\n]|\*)*+:)",
    re.MULTILINE,
)
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNSEEN = re.compile(
    # Control characters but tab and line feed; format characters; and what fonts draw as nothing.
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def defused(text: str) -> str:
    """The text as it may stand inside a fence; what is defused already comes back as it is.

    Line ends become line feeds. Works line by line: the lines of a text, defused one by one, make the defused text.
    """
    text = _LINE_ENDS.sub("\n", text)
    text = _UNSEEN.sub(lambda found: _seen(text, found.start()), text)
    plain = folded(text)
    # Behind an opening sign; before the name of a speaker.
    places = {found.start() + 1 for found in _FORM.finditer(plain)} | {found.end() for found in _TURN.finditer(plain)}
    ends = [0, *sorted(places), len(text)]
    return BREAK.join(text[start:end] for start, end in pairwise(ends))


def _seen(text: str, at: int) -> str:
    """A variation selector right behind a sign that has variants stays, as in an emoji; anything else is broken."""
    char = text[at]
    if "\ufe00" <= char <= "\ufe0f" and at > 0 and _has_variants(text[at - 1]):
        return char
    return BREAK


@cache
def _has_variants(char: str) -> bool:
    return char > "\x7f" and unicodedata.category(char) in ("So", "Sm")
