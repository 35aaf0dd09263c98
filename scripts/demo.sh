#!/bin/sh
# The main job, end to end, in a directory of its own: database, pack, batch, release, verification, site.
# Started again it goes on where it stopped; what is done already changes nothing.
set -eu
demo=$1
mkdir -p "$demo"
demo=$(cd "$demo" && pwd)
export GLASSBENCH_HOME="$demo/home"
unset GLASSBENCH_DATABASE_URL || true
# Open to traversal, so that as root the server's own account reaches its data below it; the data itself is private.
mkdir -p -m 755 "$GLASSBENCH_HOME"

step() { printf '\n== %s\n' "$1"; }

step "database: an embedded PostgreSQL below $GLASSBENCH_HOME"
glassbench db upgrade

step "pack: questions, golds, tools and frozen replies"
glassbench pack import dataset/packs/finance

# The id of the demo's batch of a template, which is created where there is none.
batch_of() {
    template=$1
    shift
    kept="$demo/batch-$template"
    batch=$(cat "$kept" 2>/dev/null || true)
    if [ -z "$batch" ] || ! glassbench batch status "$batch" >/dev/null 2>&1; then
        batch=$(glassbench batch create --template "$template" "$@" --json |
            python -c 'import json, sys; print(json.load(sys.stdin)["batch_id"])')
        echo "$batch" >"$kept"
    fi
    echo "$batch"
}

step "batch 1: twenty cases, tools given or searched for, English and Chinese, two scripted models"
contrast=$(batch_of contrast --model scripted-careful --model scripted-careless)
glassbench batch run "$contrast"

step "batch 2: three long sessions, four context strategies, three budgets, English and Chinese, one scripted model"
context=$(batch_of context --model scripted-careful)
glassbench batch run "$context"

step "key: made for this demo alone, outside of any git work tree, and thrown away at its end"
keys=$(mktemp -d)
trap 'rm -rf "$keys"' EXIT
vkey=$(glassbench key new demo.example/bench --file "$keys/demo.skey" --json |
    python -c 'import json, sys; print(json.load(sys.stdin)["verifier_key"])')
printf '%s\n' "$vkey"

step "release: every hash, gate and scan, then the public snapshot with its signed log"
glassbench publish "$contrast" "$context" --to "$demo/showcase-data" --key "$keys/demo.skey"

step "site: static pages from the snapshot alone"
glassbench site build --from "$demo/showcase-data" --to "$demo/_site"

step "verify: what a stranger would run, on the snapshot, its log and every page"
glassbench verify "$demo/_site"

printf '\nhow far the numbers can be trusted: GLASSBENCH_HOME=%s glassbench batch stats %s\n' "$GLASSBENCH_HOME" "$contrast"
printf 'open file://%s/_site/index.html\n' "$demo"
echo "or run \`make serve\` and open http://127.0.0.1:8000/"
