from __future__ import annotations

from base64 import b64encode

import pytest

from publisher.scanning.rules.kubernetes_secrets import KubernetesSecrets

VALUE = b64encode(b"a pass phrase of some length").decode()


def hits(text: str) -> list[str]:
    data = text.encode()
    return [data[hit.start : hit.end].decode() for hit in KubernetesSecrets().find(data)]


@pytest.mark.parametrize(
    "manifest",
    [
        f"kind: Secret\ndata:\n  user: YWRtaW4=\n  phrase: {VALUE}\n",
        f'data:\n\tphrase: "{VALUE}"\nkind: "Secret"\nmetadata:\n\tname: x',
        f"kind: Secret\ntype: Opaque\ndata:\n  phrase: |\n    {VALUE}\n",
        f"kind: Secret\ndata:\n  phrase: {VALUE}" + '"}',
    ],
)
def test_value_of_a_manifest_is_found(manifest: str) -> None:
    assert hits(manifest) == [VALUE]


@pytest.mark.parametrize(
    "manifest",
    [
        f"kind: ConfigMap\ndata:\n  phrase: {VALUE}\n",
        f"kind: ExternalSecret\ndata:\n  phrase: {VALUE}\n",
        "kind: Secret\ndata:\n  phrase: {{ .Values.phrase }}\n  other: ''\n",
        f"kind: Secret\nmetadata:\n  phrase: {VALUE}\n",
    ],
)
def test_other_manifests_and_templates_are_not_flagged(manifest: str) -> None:
    assert hits(manifest) == []
