"""Tokens that a vendor's prefix tells, in a table: prefix and what follows, as the documentation of each shows."""

from __future__ import annotations

import re

from publisher.scanning.rules.shape import END, START, Shape, is_random

_UUID = rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

# Vendor, and the form of its tokens; the documentation of each on API keys or access tokens is the source.
_FORMS: dict[str, bytes] = {
    "adafruit": rb"aio_[A-Za-z0-9]{28}",
    "anthropic": rb"sk-ant-(?:sid|ort|oat)\d{2}-[A-Za-z0-9_-]{80,120}",
    "apify": rb"apify_api_[A-Za-z0-9]{30,40}",
    "artifactory": rb"(?:AKCp[A-Za-z0-9]{60,75}|cmVmd[A-Za-z0-9]{59})",
    "asana": rb"[0-2]/\d{13,17}(?:/\d{13,17})?:[0-9a-f]{32}",
    "azure-devops": rb"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}",
    "baidu": rb"bce-v3/ALTAK-[A-Za-z0-9]{21}/[0-9a-f]{40}",
    "braintree": rb"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    "buildkite": rb"bk(?:ua|ct|aj|pt|pi|rt)_[A-Za-z0-9]{40,64}",
    "clickup": rb"pk_\d{6,10}_[A-Z0-9]{32}",
    "contentful": rb"CFPAT-[A-Za-z0-9_-]{43}",
    "crates-io": rb"cio[A-Za-z0-9]{32}",
    "dingtalk": rb"SEC[0-9a-f]{64}",
    "docker": rb"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,40}",
    "doppler": rb"dp\.(?:ct|pt|st|sa|scim|audit)(?:\.[a-z0-9_-]{2,35})?\.[A-Za-z0-9]{40,44}",
    "dropbox": rb"sl\.(?:u\.)?[A-Za-z0-9_-]{120,1400}",
    "figma": rb"fig[a-z]_[A-Za-z0-9_-]{36,54}",
    "firecrawl": rb"fc-[0-9a-f]{32}",
    "fireworks": rb"fw_[A-Za-z0-9]{22,32}",
    "flutterwave": rb"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}-X",
    "google-refresh": rb"1//0[A-Za-z0-9_-]{40,120}",
    "grafana": rb"gl(?:c|sa)_[A-Za-z0-9_+/=-]{32,400}",
    "hubspot": rb"pat-(?:na|eu|ap)\d-" + _UUID,
    "jina": rb"jina_[A-Za-z0-9_-]{56,64}",
    "launchdarkly": rb"(?:sdk|api|mob)-" + _UUID,
    "maxmind": rb"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",
    "mollie": rb"(?:live|test)_[A-Za-z0-9]{28,40}",
    "new-relic": rb"(?:[0-9a-f]{36}NRAL|NRII-[A-Za-z0-9_-]{32})",
    "nuget": rb"oy2[a-z0-9]{43}",
    "octopus": rb"API-[A-Z0-9]{25,34}",
    "packagist": rb"packagist_(?:uut|out|ort|uet|[a-z]{3})_[0-9a-f]{40,80}",
    "perplexity": rb"pplx-[A-Za-z0-9]{40,56}",
    "pypi": rb"pypi-Ag[A-Za-z0-9_-]{50,1000}",
    "razorpay": rb"rzp_(?:live|test)_[A-Za-z0-9]{14,24}",
    "resend": rb"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24,32}",
    "salesforce": rb"00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{80,140}",
    "sentry": rb"sntry[su]_[A-Za-z0-9+/=_-]{40,400}",
    "shippo": rb"shippo_(?:live|test)_[0-9a-f]{40}",
    "sonar": rb"sq[apu]_[0-9a-f]{40}",
    "tavily": rb"tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,40}",
    "typeform": rb"tfp_[A-Za-z0-9_-]{40,62}",
    "vault": rb"hv[sbr]\.[A-Za-z0-9_-]{24,300}",
    "voyage": rb"pa-[A-Za-z0-9_-]{43}",
    "yandex": rb"(?:y[0-3]_[A-Za-z0-9_-]{50,70}|AQVN[A-Za-z0-9_-]{35,38}|"
    rb"t1\.[A-Z0-9a-z_-]{7,}={0,2}\.[A-Za-z0-9_-]{86}={0,2})",
    "zerobounce": rb"sk_[0-9a-f]{40,64}",
}
# What a URL says after the host: who knows it may post there, or call the function behind it.
_HOOKS = (
    rb"hooks\.slack\.com/(?:services|workflows|triggers)/(?:T|E)[A-Z0-9]{6,14}/[A-Z0-9]{6,24}/(?:\d{10,20}/)?[A-Za-z0-9]{16,64}|"
    rb"hooks\.zapier\.com/hooks/(?:catch|standard)/\d{4,12}/[A-Za-z0-9]{5,32}|"
    rb"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/" + _UUID + rb"|"
    rb"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=" + _UUID + rb"|"
    rb"oapi\.dingtalk\.com/robot/send\?access_token=[0-9a-f]{64}|"
    rb"[\w-]{1,64}\.webhook\.office\.com/webhookb2/" + _UUID + rb"@" + _UUID + rb"/\w{1,32}/[0-9a-zA-Z]{24,64}|"
    rb"api\.telegram\.org/(?:file/)?bot\d{8,10}:[A-Za-z0-9_-]{35}|"
    rb"maker\.ifttt\.com/trigger/[\w-]{1,64}/with/key/[A-Za-z0-9_-]{20,64}|"
    rb"[0-9a-f]{32}(?::[0-9a-f]{32})?@(?:o\d{1,12}\.ingest\.(?:[a-z]{2}\.)?)?sentry\.io/\d{1,20}|"
    rb"chat\.googleapis\.com/v1/spaces/[\w-]{8,16}/messages\?key=[A-Za-z0-9_-]{20,64}"
)

VENDOR_PREFIXES = (
    *(
        Shape(name=f"{vendor}-token", label="access token", pattern=re.compile(START + form + END), holds=is_random)
        for vendor, form in _FORMS.items()
    ),
    Shape(
        name="webhook-url",
        label="address that lets whoever knows it in",
        pattern=re.compile(rb"(?i)(?<![A-Za-z0-9.-])(?:" + _HOOKS + rb")"),
        holds=is_random,
    ),
)
