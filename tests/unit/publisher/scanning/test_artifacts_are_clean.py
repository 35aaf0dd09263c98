"""What artifacts consist of must never block a release: digests, salts, ids, figures, English and Chinese text."""

from __future__ import annotations

import json
import string
from base64 import b64encode, urlsafe_b64encode
from random import Random
from uuid import UUID

import pytest

from publisher.scanning.scanner import Scanner

SECTIONS = ("case", "provenance", "context", "visible_tools", "steps", "guardrail_checks", "result", "judgment")
ANSWERS = (
    "The fund's net asset value on {date} was {nav}, up {pct}% on the day; the annual fee is 1.20%.",
    "截至{date}，该基金单位净值为{nav}元，较上一交易日上涨{pct}%，管理费率每年1.20%（密码、令牌等信息无需提供）。",
    "I can't place orders. Key facts: token count 128, access level: public, secret ingredients: none; ratio 10.2.",
    "Holdings: AAPL 12.5%, 600519.SH 8.04%, 00700.HK 7.7%. Author: fund-research team. API version 10.2.3.",
    "|key|value|\n|---|---|\n|nav|{nav}|\n|as of|{date}|\nSource: https://example.com/home/funds?token_count=3",
    "请先登录：风险测评有效期至{date}。主键 key={nav}，认证方式：短信验证码。",
)


def letters(random: Random, length: int) -> str:
    return "".join(random.choices(string.ascii_letters + string.digits, k=length))


def digits16(random: Random, length: int) -> str:
    return "".join(random.choices("0123456789abcdef", k=length))


def answer(random: Random) -> str:
    figures = {"date": "2024-05-31", "nav": f"{random.uniform(0.5, 900):.4f}", "pct": f"{random.uniform(0, 9):.2f}"}
    return random.choice(ANSWERS).format(**figures)


def tool_step(random: Random) -> dict[str, object]:
    arguments = {"fund_code": f"{random.randrange(10**6):06d}", "date": "2024-05-31", "page_token": letters(random, 24)}
    result = {
        "nav": f"{random.uniform(0, 9):.4f}",
        "id": str(UUID(int=random.getrandbits(128))),
        "note": answer(random),
    }
    return {
        "tool_call_id": "call_" + letters(random, 24),
        "arguments": json.dumps(arguments),
        "key": digits16(random, 64),
        "fixture_key": digits16(random, 64),
        "fixture_digest": "sha256:" + digits16(random, 64),
        "result": json.dumps({**result, "key": digits16(random, 64), "nested": json.dumps(result)}, ensure_ascii=False),
        "bytes_base64": b64encode(answer(random).encode()).decode(),
        "bytes_base64url": urlsafe_b64encode(answer(random).encode()).decode(),
    }


def model_step(random: Random) -> dict[str, object]:
    return {
        "request_id": "chatcmpl-" + letters(random, 29),
        "provider_request_id": "req_" + digits16(random, 32),
        "system_fingerprint": "fp_" + digits16(random, 10),
        "text": answer(random),
        "usage": {"input_tokens": random.randrange(9999), "cache_read_tokens": 0},
    }


def artifact(random: Random) -> dict[str, object]:
    return {
        "schema": "glassbench.run/1",
        "run_id": "run_" + digits16(random, 20),
        "artifact_hash": digits16(random, 64),
        "digests": {section: digits16(random, 64) for section in SECTIONS},
        "salts": {section: digits16(random, 32) for section in SECTIONS},
        "case": {"content_hash": digits16(random, 64), "login_state": "logged_in", "question": answer(random)},
        "provenance": {
            "commit": digits16(random, 40),
            "code_version": "10.2.3",
            "credential_variable": "DEEPSEEK_API_KEY",
            "base_url": "http://127.0.0.1:8080/v1",
            "model_key": "qwen2.5-0.5b-instruct-q4_k_m",
            "snapshot_key": letters(random, 22),
            "idempotency_key": digits16(random, 64),
            "started_at": "2025-01-02T03:04:05.678Z",
            "prompt": {"file": "prompts/system.en.md", "hash": digits16(random, 64)},
        },
        "steps": [step(random) for _ in range(4) for step in (model_step, tool_step)],
        "result": {"final": answer(random), "cost": "0.00123", "latency_ms": random.randrange(9999)},
    }


@pytest.mark.parametrize("seed", range(20))
def test_random_artifacts_of_realistic_form_are_clean(scanner: Scanner, seed: int) -> None:
    random = Random(seed)
    for _ in range(20):
        document = artifact(random)
        name = f"runs/{document['run_id']}.json"
        text = json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        assert scanner.scan_bytes(text.encode(), name) == []
        assert scanner.scan_bytes(json.dumps(document, indent=2).encode(), name) == []


def test_pages_that_show_hashes_are_clean(scanner: Scanner) -> None:
    random = Random(7)
    for _ in range(200):
        rows = "\n".join(
            f'<tr><th scope="row">{name} key</th><td class="token"><code>{digits16(random, 64)}</code></td></tr>'
            f'<p id="key-{digits16(random, 8)}" data-key="{digits16(random, 64)}">{answer(random)} &amp; more</p>'
            for name in SECTIONS
        )
        assert scanner.scan_bytes(rows.encode(), "site/runs/index.html") == []
