#!/usr/bin/env bash
# Walks through the demo in tmux at two sizes and writes docs/tour.md from the
# screens. Needs Go and tmux. It fails where a screen does not come.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d "${TMPDIR:-/tmp}/forge-tour.XXXXXX")
socket="$work/tmux"
t() { env -u TMUX -u TMUX_PANE tmux -S "$socket" -f /dev/null "$@"; }
cleanup() {
  t kill-server 2>/dev/null || true
  chmod -R u+w "$work" && rm -rf "$work"
}
trap cleanup EXIT

go build -o "$work/forge" .
# How long a run takes is this machine's matter, and a tip comes only with a long one.
mkdir -p "$work/home/.config/forge"
echo '{"screen": {"tips": false}}' > "$work/home/.config/forge/forge.json"
# The demo runs `go test`, so it gets the caller's build cache, and nothing else
# of the caller's home.
cache=$(go env GOCACHE) modules=$(go env GOMODCACHE)

screen() { t capture-pane -p -t tour; }
wait_for() { # TEXT
  for _ in $(seq 600); do
    if screen | grep -qF -- "$1"; then sleep 0.6; return; fi
    sleep 0.1
  done
  echo "tour: this never came on the screen: $1" >&2
  screen >&2
  exit 1
}
# catch is wait_for for what is gone again in a moment.
catch() { # TEXT
  for _ in $(seq 2000); do
    if screen | grep -qF -- "$1"; then return; fi
    sleep 0.02
  done
  echo "tour: this never came on the screen: $1" >&2
  exit 1
}
key() { t send-keys -t tour "$@"; }
text() { t send-keys -t tour -l -- "$1"; }

# shot TITLE: one screen, with what differs between machines evened out.
shot() {
  printf '\n%s\n\n```text\n' "$1"
  screen | sed -E -e 's#/[^ ]*/forge-demo-[0-9]+/sample#~/laps#' -e 's/ +$//' -e '/./,$!d'
  printf '```\n'
}

walk() { # WIDTH HEIGHT
  t new-session -d -s tour -x "$1" -y "$2" \
    "env HOME='$work/home' XDG_CONFIG_HOME= XDG_STATE_HOME= XDG_CACHE_HOME= GOCACHE='$cache' GOMODCACHE='$modules' \
     TERM=xterm-256color COLORTERM=truecolor LANG=C.UTF-8 '$work/forge' --demo"
  t set -g status off
  t resize-window -t tour -x "$1" -y "$2"
  printf '\n## %s columns, %s rows\n' "$1" "$2"
  wait_for 'ask for something'
  text 'why does the median test fail? find the bug and fix it'
  wait_for 'fix it'
  shot 'The question is typed.'
  key Enter
  catch '  writing'
  shot 'Reasoning and text have streamed; the arguments of two calls are being written.'
  wait_for 'allow once'
  shot 'Both reads ran at once. A command asks: `y` allows it, `n` denies it.'
  key y
  wait_for 'write this change'
  shot 'The edit is reviewed before it lands; `space` would drop the hunk.'
  if t capture-pane -p -t tour | grep -q 'read on'; then # the screen is too small for all of it
    key y
  fi
  key y
  wait_for 'allow once'
  shot 'It was applied. The tests are to run again.'
  key y
  wait_for '$0.00'
  wait_for 'How it was checked'
  shot 'The answer, as rendered markdown.'
  t kill-session -t tour
}

{
  cat <<'EOF'
# A walk through the demo

`go run . --demo` opens the screen with a scripted model on a scratch copy of a small project. These are its screens, written by `bash docs/tour.sh`, which drives the program in tmux.
EOF
  walk 80 24
  walk 200 50
} >"$work/tour.md"
mv "$work/tour.md" docs/tour.md
echo "wrote docs/tour.md"
