#!/usr/bin/env bash
# Measures forge as a whole process and prints a table: figure, crush's figure,
# goal. See docs/performance.md.
#
#   RIG=/path/to/rig docs/rig/measure.sh            # builds forge, RUNS=3
#   RIG=… FORGE=/path/to/forge RUNS=1 OUT=dir docs/rig/measure.sh
#   OUT=dir docs/rig/measure.sh table               # the table of an earlier run
#
# Needs Linux, go, awk, and the rig: a loopback model server and a pty driver that
# measure any terminal agent from outside. It sends traffic to loopback only, and
# gives every run a home of its own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)
runs=${RUNS:-3}
out=${OUT:-}
[ -n "$out" ] || out=$(mktemp -d "${TMPDIR:-/tmp}/forge-measure.XXXXXX")
mkdir -p "$out"
out=$(cd "$out" && pwd)

# table prints the median of every row over all result files.
table() {
	for f in "$out"/[abco].*.json; do
		[ -e "$f" ] || { echo "no results in $out" >&2; exit 1; }
	done
	awk -F'\t' '
		function median(list,    v, n, i, j, t) {
			n = split(list, v, " ")
			for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j-1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j-1]; v[j-1] = t }
			return n % 2 ? v[(n+1)/2] : (v[n/2] + v[n/2+1]) / 2
		}
		function show(x) { return x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.3g", x) }
		FILENAME ~ /\.json$/ {
			if (FNR == 1) { n = split(FILENAME, part, "/"); run = substr(part[n], 1, 1); step = "" }
			if ($0 ~ /^ "load": /) { load = $0; gsub(/^ "load": "|",?$/, "", load); sub(/\\u003e/, ">", load); loads[run] = loads[run] " (" load ")" }
			if ($0 ~ /^  "[a-z.0-9]+": \{$/) { step = $0; gsub(/^  "|": \{$/, "", step) }
			if (step != "" && $0 ~ /^   "[a-z_0-9]+": /) {
				name = $0; sub(/^   "/, "", name); value = name
				sub(/".*/, "", name); sub(/.*": /, "", value); sub(/,$/, "", value)
				key = run ":" step "." name
				seen[key] = seen[key] " " value
			}
			if ($0 ~ /^ "errors": /) { failed = 1 }
			if (failed && $0 ~ /^  "/) { print "ERROR " FILENAME ": " $0 }
			if ($0 ~ /^ \]/) { failed = 0 }
			next
		}
		/^#/ { printf "| %-42s | %9s | %7s | %6s | %6s |\n|%s|%s:|%s:|%s:|%s:|\n", "what", "forge", "crush", "ratio", "goal", "--------------------------------------------", "----------", "--------", "-------", "-------"; next }
		{
			if (!($2 in seen)) { printf "| %-42s | %9s | %7s | %6s | %6s |\n", $1, "-", $4, "", $5; next }
			x = median(seen[$2]) / $3
			mark = ($5 != "-" && x > $5 + 0 && $1 !~ /^prefix/) ? "!" : ""
			if ($1 ~ /^prefix/ && x < $5 + 0) mark = "!"
			printf "| %-42s | %8s%1s | %7s | %6s | %6s |\n", $1, show(x), mark, $4, ($4 + 0 > 0 ? sprintf("%.2f", x / $4) : ""), $5
		}
		END { print "\n! is over the goal. Load at the beginning and end of each run:"; for (r in loads) print "  " r ":" loads[r] }
	' "$out"/[abco].*.json "$here/rows.tsv"
}

# long_session writes a session of about 50 MB for work in $2 to the file $1.
long_session() {
	awk -v cwd="$2" 'BEGIN {
		stamp = "\"time\":\"2026-11-01T10:00:00Z\""
		printf "{\"seq\":0,%s,\"type\":\"header\",\"header\":{\"version\":1,\"id\":\"20261101-100000-long00\",\"cwd\":\"%s\",\"created\":\"2026-11-01T10:00:00Z\"}}\n", stamp, cwd
		for (i = 0; i < 90; i++) code = code sprintf("%d\\t\\tif err := run(ctx, \\\"step %d\\\"); err != nil {\\n\\t\\t\\treturn err\\n\\t\\t}\\n", i, i)
		for (seq = 1; bytes < 50e6; ) {
			if (seq % 20 == 1) say("user", "{\"type\":\"text\",\"text\":\"please look at this as well\"}", "")
			id = "call_" seq
			say("assistant", "{\"type\":\"text\",\"text\":\"I will **read** it.\"},{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"read_file\",\"input\":\"{\\\"path\\\":\\\"a.go\\\"}\"}", "")
			say("user", "{\"type\":\"tool_result\",\"id\":\"" id "\",\"content\":[{\"type\":\"text\",\"text\":\"" code "\"}]}", ",\"calls\":[{\"id\":\"" id "\",\"kind\":\"read\",\"title\":\"read a.go\",\"took_ms\":12}]")
		}
		say("user", "{\"type\":\"text\",\"text\":\"and in the end?\"}", "")
		say("assistant", "{\"type\":\"text\",\"text\":\"It does what it says.\\n\\nTHE LAST ANSWER ENDS HERE\"}", "")
	}
	function say(role, blocks, more,    line) {
		line = sprintf("{\"seq\":%d,%s,\"type\":\"message\",\"message\":{\"role\":\"%s\",\"blocks\":[%s]}%s}", seq++, stamp, role, blocks, more)
		bytes += length(line) + 1
		print line
	}' > "$1"
}

if [ "${1:-}" = table ]; then
	table
	exit
fi

: "${RIG:?the path of the rig binary}"
forge=${FORGE:-}
if [ -z "$forge" ]; then
	forge=$out/forge
	(cd "$repo" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$forge" .)
fi
forge=$(cd "$(dirname "$forge")" && pwd)/$(basename "$forge")
drive() { "$RIG" drive -q -timeout 120s -var "FORGE=$forge" "$@" > /dev/null; }

long=$out/long
mkdir -p "$long/work" "$long/.local/state/forge/sessions"
long_session "$long/.local/state/forge/sessions/20261101-100000-long00.jsonl" "$long/work"
for n in $(seq "$runs"); do
	echo "run $n of $runs, load $(cut -d' ' -f1-3 /proc/loadavg)" >&2
	drive -profile "$here/forge.json" -starts 9 -json "$out/a.$n.json" \
		-steps start,idle,type,words,md,code,fast,fire,scroll,resize
	drive -profile "$here/forge.json" -grow 200000 -json "$out/b.$n.json" -steps grow,reopen
	drive -profile "$here/forge.json" -grow 1000000 -json "$out/c.$n.json" -steps grow,reopen
	drive -profile "$here/reopen.json" -home "$long" -work "$long/work" -starts 5 -json "$out/o.$n.json" -steps start
done
ls -l "$forge" | awk '{ printf "binary: %.1f MB\n", $5 / 1e6 }' >&2
echo "results: $out" >&2
table
