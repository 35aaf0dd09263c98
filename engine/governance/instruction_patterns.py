"""What instruction-like text looks like inside a tool reply, in English and Chinese.

Sources: the injection families described in OWASP's LLM01 (prompt injection) and Greshake et al. (2023), "Not what
you've signed up for": override of earlier instructions, forged roles, orders to call a tool, orders to hide something.
"""

from __future__ import annotations

import re

PATTERNS_VERSION = "instruction-like/1"

_ENGLISH = (
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|your|system)\b"
    r"[^.\n]{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|context)\b",
    r"\b(?:you are|you're) now (?:an?|the|in|acting|called|free|dan|under|required)\b[^.\n]{0,60}",
    r"\bnew (?:system )?instructions?\b\s*[:：]",
    r"\b(?:assistant|ai|model|chatbot|agent)s?\b[^.\n]{0,30}\b(?:must|should|has to|have to|(?:are|is) required to)"
    r"\b[^.\n]{0,80}\b(?:call|invoke|run|execute|reply|respond|tell|say|reveal|recommend|include|output|state)\b",
    r"\b(?:call|invoke|run|execute) (?:the (?:tool|function)\b|[a-z]+_[a-z_]+)[^.\n]{0,80}",
    r"\btell (?:them|him|her|the (?:user|customer|client)s?) to (?:buy|sell|transfer|subscribe|redeem|invest)\b"
    r"[^.\n]{0,60}",
    r"\bdo not (?:tell|inform|mention|reveal|disclose)\b[^.\n]{0,40}\b(?:user|customer|client|anyone)\b",
    r"(?m)^\s*(?:system|developer)\s*[:：]",
)
_CHINESE = (
    r"(?:忽略|无视|忘记|忘掉|不要理会|覆盖)[^。\n]{0,20}(?:之前|以上|上述|先前|此前|所有|系统|前面)[^。\n]{0,20}(?:指令|提示|规则|要求|设定|说明)",
    r"你现在(?:是|的身份是|的角色是)[^。\n]{0,40}",
    r"新的?(?:系统)?指令\s*[:：]",
    r"(?:助手|AI|模型|机器人|智能体)[^。\n]{0,12}(?:必须|应当|应该|需要|务必|请)[^。\n]{0,40}"
    r"(?:调用|执行|回复|回答|告诉|说|透露|推荐|输出|声明)",
    r"(?:调用|执行)(?:工具|函数|[a-z]+_[a-z_]+)[^。\n]{0,40}",
    r"你现在(?:进入|处于|切换)[^。\n]{0,20}(?:模式|状态)[^。\n]{0,60}",
    r"请(?:立即|马上|立刻)?告诉(?:用户|客户|他们)[^。\n]{0,12}(?:买入|卖出|购买|申购|赎回|转账)[^。\n]{0,40}",
    r"(?:不要|不得|切勿|请勿)(?:告诉|告知|透露给|向)[^。\n]{0,12}(?:用户|客户|任何人)",
    r"(?m)^\s*(?:系统|开发者)\s*[:：]",
)
_MARKUP = (
    r"<\|?(?:im_start|im_end|system|assistant|endoftext|start_header_id)\|?>",
    r"\[/?INST\]|<</?SYS>>",
    r"</?(?:system|assistant|instructions?|tool_call)>",
)
INSTRUCTION_LIKE = re.compile(
    "|".join(f"(?:{p.replace('(?m)', '')})" for p in (*_ENGLISH, *_CHINESE, *_MARKUP)), re.I | re.M
)
