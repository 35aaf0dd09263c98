"""What stands between a name and the value set under it, in files of settings, markup and programming languages."""

from __future__ import annotations

# `[:=]` in their full width.
_FULL_WIDTH = rb"\xef\xbc\x9a|\xef\xbc\x9d"
_CLOSED = rb"\\?[\"'`\])]{1,3}"
_OPERATOR = rb"(?::{1,3}=|=>|->|\|\|=?|\?\?=?|\?[=:]|[:=>]|" + _FULL_WIDTH + rb")"
# `password: str = `, `password string = `, `password[] = `, `password As String = `.
_TYPED = (
    rb"(?:\[[0-9]{0,4}\])?[ \t]{0,4}:?[ \t]{0,4}(?:as[ \t]{1,4})?(?:&(?:'static[ \t])?)?(?:str|string|text)?"
    rb"[?!]?[ \t]{0,12}="
)
# `name: DB_PASSWORD`, and its value in the next line or member.
_PAIRED = rb"(?:" + _CLOSED + rb")?,?\s{0,24}\\?[\"']?value\\?[\"']?\s{0,4}[:=]"
# Terraform's documentation, "Input variables"; Apple's, "Property lists"; attributes of an element.
_DEFAULT = rb"\"[ \t]{0,4}\{\s{1,24}(?:[a-z]{1,16}[ \t]{0,16}=[^\n]{0,160}\n[ \t]{0,16}){0,4}default[ \t]{0,16}="
_MARKUP = rb"</key>\s{0,24}<string>|(?:[ \t][\w:.-]{1,32}=\\?[\"'][^\"'<>\n]{0,64}\\?[\"']){1,2}>"
_OPENED = rb"(?:[@rbul]?\\?[\"'`])"

# Whatever the value looks like.
_BETWEEN = rb"|".join((rb"(?:" + _CLOSED + rb")?[ \t]{0,12}" + _OPERATOR, _TYPED, _PAIRED, _DEFAULT, _MARKUP))
SIGN = (
    rb"[0-9_-]{0,5}(?:" + _CLOSED + rb"[ \t]{0,12}(?:,|value=)|" + _BETWEEN + rb")[ \t]{0,4}" + _OPENED + rb"?"
)  # fmt: skip
# What settings and literals of objects have, and sentences, lists and tables have not.
PLAIN_SIGN = rb"(?:" + _CLOSED + rb")?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}" + _OPENED + rb"?"
# Only before quotation marks: a definition, an argument, a comparison, a statement of SQL; and what follows a comma.
_APART = rb"[0-9_-]{0,5}[\])]?(?:[ \t]{1,8}(?:(?:is|was|by)[ \t]{1,4})?|[ \t]{0,4}(?:%b|[!=]={1,2})[ \t]{0,4})"
CALLED_SIGN = _APART % rb"[({]" + _OPENED
QUOTED_SIGN = _APART % rb"[({,]" + _OPENED
# A word between signs that end it, or the whole of what stands between quotation marks.
VALUE = rb"[!#-&(-+\-.-:=?-Z^_a-z|~]"
WITHIN_QUOTES = rb"[!#-&(-\[\]-_a-~]"
