"""Keys and tokens known by their vendor's prefix or form, where the engine has no rule or a narrower one."""

from __future__ import annotations

import re

from publisher.scanning.rules.randomness import looks_random
from publisher.scanning.rules.shape import END, START, Shape, is_mixed, is_random, is_very_random

VENDOR_TOKENS = (
    # AWS IAM reference, "Understanding unique ID prefixes".
    Shape(
        name="aws-access-token",
        label="AWS access key id",
        pattern=re.compile(rb"(?<![A-Za-z0-9+/])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9+/])"),
        holds=is_mixed,
    ),
    # OpenAI, DeepSeek, Moonshot, DashScope and others: their API references show keys of this form.
    Shape(
        name="secret-key-prefix",
        label="API key with the prefix sk-",
        pattern=re.compile(START + rb"sk-(?!ant-)(?:[a-z0-9]{2,12}-){0,3}[A-Za-z0-9_-]{20,200}"),
        holds=is_very_random,
    ),
    # Stripe documentation, "API keys": secret and restricted keys.
    Shape(
        name="stripe-access-token",
        label="Stripe secret key",
        pattern=re.compile(START + rb"[sr]k_(?:test|live|prod)_[A-Za-z0-9]{16,200}" + END),
        holds=is_random,
    ),
    # Microsoft identity platform: the client secrets of Entra ID carry `Q~` after a version digit.
    Shape(
        name="azure-ad-client-secret",
        label="Azure AD client secret",
        pattern=re.compile(rb"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"),
        holds=is_very_random,
    ),
    # Square developer documentation, "Access tokens".
    Shape(
        name="square-secret",
        label="Square application secret",
        pattern=re.compile(START + rb"sq0csp-[A-Za-z0-9_-]{43}" + END),
        holds=is_random,
    ),
    # Fly.io documentation, "Access tokens".
    Shape(
        name="flyio-access-token",
        label="Fly.io access token",
        pattern=re.compile(START + rb"fo1_[A-Za-z0-9_-]{43}" + END),
        holds=is_very_random,
    ),
    # Alibaba Cloud RAM and Tencent Cloud CAM, "Create an AccessKey pair".
    Shape(
        name="alibaba-access-key-id",
        label="Alibaba Cloud access key id",
        pattern=re.compile(START + rb"LTAI[A-Za-z0-9]{12,26}" + END),
        holds=is_random,
    ),
    Shape(
        name="tencent-cloud-secret-id",
        label="Tencent Cloud secret id",
        pattern=re.compile(START + rb"AKID[A-Za-z0-9]{32}" + END),
        holds=is_very_random,
    ),
    # Telegram Bot API, "Authorizing your bot".
    Shape(
        name="telegram-bot-api-token",
        label="Telegram bot token",
        pattern=re.compile(rb"(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{33}" + END),
        holds=is_very_random,
    ),
    # Hugging Face Hub documentation, "User access tokens".
    Shape(
        name="huggingface-access-token",
        label="Hugging Face token",
        pattern=re.compile(START + rb"(?:hf_|api_org_)[A-Za-z0-9]{30,40}" + END),
        holds=is_mixed,
    ),
    # Mailgun documentation, "API keys".
    Shape(
        name="mailgun-private-api-token",
        label="Mailgun key",
        pattern=re.compile(START + rb"key-[0-9a-f]{32}" + END),
        holds=is_random,
    ),
    # Discord developer documentation, "Webhook resource" and "Authentication".
    Shape(
        name="discord-webhook",
        label="Discord webhook",
        pattern=re.compile(rb"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{17,20}/([A-Za-z0-9_-]{60,80})"),
        holds=is_random,
    ),
    # Discord API reference, "Authentication": user id, time and signature in base64url.
    Shape(
        name="discord-api-token",
        label="Discord bot token",
        pattern=re.compile(START + rb"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}" + END),
        holds=is_very_random,
    ),
    # Microsoft, "Create a service SAS": an HMAC-SHA256 in base64.
    Shape(
        name="azure-sas-signature",
        label="Azure shared access signature",
        pattern=re.compile(rb"[?&;]sig=([A-Za-z0-9%+/]{43,80}(?:%3[dD]|=))"),
        holds=is_very_random,
    ),
    # Google Cloud documentation, "Types of tokens" and "OAuth clients".
    Shape(
        name="google-oauth-client-secret",
        label="Google OAuth client secret",
        pattern=re.compile(START + rb"GOCSPX-[A-Za-z0-9_-]{28}" + END),
        holds=is_mixed,
    ),
    # Google Cloud documentation, "Types of tokens".
    Shape(
        name="google-oauth-access-token",
        label="Google OAuth access token",
        pattern=re.compile(START + rb"ya29\.[A-Za-z0-9_-]{40,2048}"),
        holds=is_random,
    ),
    # Firebase documentation, "Legacy server keys".
    Shape(
        name="firebase-cloud-messaging-key",
        label="Firebase server key",
        pattern=re.compile(START + rb"AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{140}" + END),
        holds=is_random,
    ),
    # New Relic documentation, "API keys".
    Shape(
        name="new-relic-user-api-key",
        label="New Relic key",
        pattern=re.compile(START + rb"NR(?:AK|RA|JS|AL)-[A-Za-z0-9]{27,32}" + END),
        holds=is_random,
    ),
    # Notion developer documentation, "Authorization".
    Shape(
        name="notion-api-token",
        label="Notion token",
        pattern=re.compile(START + rb"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,50})" + END),
        holds=is_random,
    ),
    # Supabase documentation, "API keys".
    Shape(
        name="supabase-secret-key",
        label="Supabase key",
        pattern=re.compile(START + rb"(?:sb_secret_[A-Za-z0-9_-]{20,64}|sbp_[0-9a-f]{40})" + END),
        holds=is_random,
    ),
    # Atlassian, "Secret scanning of Bitbucket": app passwords begin with ATBB.
    Shape(
        name="bitbucket-app-password",
        label="Bitbucket app password",
        pattern=re.compile(START + rb"ATBB[A-Za-z0-9]{28,40}" + END),
        holds=is_random,
    ),
    # Okta developer documentation, "Create an API token".
    Shape(
        name="okta-access-token",
        label="Okta token",
        pattern=re.compile(rb"SSWS[ \t]{1,4}(00[A-Za-z0-9_-]{38,44})" + END),
        holds=is_random,
    ),
    # Meta for Developers, "Access token guide".
    Shape(
        name="facebook-page-access-token",
        label="Facebook access token",
        pattern=re.compile(START + rb"EAA[A-Za-z0-9]{80,400}" + END),
        holds=is_very_random,
    ),
    # X developer platform, "OAuth 2.0 bearer token".
    Shape(
        name="twitter-bearer-token",
        label="X bearer token",
        pattern=re.compile(START + rb"A{20,22}[B-Zb-z0-9%][A-Za-z0-9%]{60}"),
        holds=lambda value: looks_random(value.lstrip("A"), bits=3.5),
    ),
    # Mapbox documentation, "Access tokens": secret ones begin with sk.
    Shape(
        name="mapbox-secret-token",
        label="Mapbox secret token",
        pattern=re.compile(START + rb"sk\.eyJ[A-Za-z0-9_-]{40,200}\.[A-Za-z0-9_-]{20,40}" + END),
        holds=is_random,
    ),
    # Plaid documentation, "Tokens".
    Shape(
        name="plaid-access-token",
        label="Plaid access token",
        pattern=re.compile(
            START + rb"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" + END
        ),
        holds=is_random,
    ),
    # Replicate, Groq, Linear, Svix, PostHog, PlanetScale, Render, Brevo, Netlify, Vercel, Tailscale: their
    # documentation of access tokens gives these prefixes.
    Shape(
        name="vendor-token",
        label="access token",
        pattern=re.compile(
            START
            + rb"(?:r8_|gsk_|lin_api_|lin_oauth_|whsec_|phx_|pscale_tkn_|pscale_pw_|rnd_|xkeysib-|nfp_|vercel_|tskey-)"
            rb"[A-Za-z0-9_=-]{24,300}" + END
        ),
        holds=is_random,
    ),
    # Sourcegraph documentation, "Access tokens": 40 hex digits; in one case alone they may be the id of a commit.
    Shape(
        name="sourcegraph-access-token",
        label="Sourcegraph token",
        pattern=re.compile(rb"(?i)sourcegraph[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?([0-9a-f]{40})(?![0-9a-z_-])"),
        holds=lambda value: not value.islower() and not value.isupper(),
    ),
    # Bitcoin developer reference, "Wallet import format".
    Shape(
        name="bitcoin-private-key",
        label="private key in wallet import format",
        pattern=re.compile(START + rb"(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})" + END),
        holds=is_very_random,
    ),
)
