//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"forge/ui/keymap"
	"forge/ui/screentest"
)

// callsQuestioner calls the tools of a server that asks.
const callsQuestioner = `pace 100000
loop
when result /answered/
text It was answered.
when user form
call mcp__q__form {}
when user page
call mcp__q__page {}
otherwise
text So it is.
end
`

// questioned opens a question of a server, whose tool was allowed before.
func (s *terminal) questioned(prompt string, want check) {
	s.t.Helper()
	s.stopped()
	s.does("/new\r", all(hides("answered"), hides("interrupted"), caret(nothing)))
	s.does(prompt+"\r", want)
}

func openQuestioner(t *testing.T, prompt string, want check) *terminal {
	s := newStage(t).open(t, callsQuestioner, "--mcp", "q=questioner", "--mode", "auto")
	s.does("/mcp\r", shows("1 of 1 ready"))
	s.does("q", hides("1 of 1 ready"))
	s.does(prompt+"\r", waits("deny and say"))
	s.does("p", want) // for the next conversations, too
	return s
}

// fillingScene is a form of two texts and a choice.
func fillingScene() scene {
	open := all(shows("Who are you?"), caret("❯ |"))
	choosing := doing("\t", caret(""))
	return scene{
		open: func(t *testing.T) *terminal {
			s := openQuestioner(t, "form", open)
			s.does("1", caret("❯ 1|"))
			return s
		},
		ground: func(s *terminal) {
			s.t.Helper()
			now := s.Look()
			switch {
			case !now.Shows("Who are you?"):
				s.questioned("form", open)
				s.does("1", caret("❯ 1|"))
			case now.Row == "":
				s.does("\x1b[Z", caret("❯ 1|"))
			case now.Row == "❯ ‸":
				s.does("\x15\x1b[Z\x1b[Z1", caret("❯ 1|"))
			}
		},
		deeds: map[keymap.Action]deed{
			keymap.FormNext:    {want: caret("")},
			keymap.FormField:   {want: caret("")},
			keymap.FormBefore:  {set: choosing, want: caret("❯ 1|")},
			keymap.FormDecline: {want: shows("answered: decline")},
			keymap.FormClose:   {want: shows("answered: cancel")},
			keymap.ChoiceLeft:  {set: steps(choosing, doing("\x1b[C", marked("[ ] beta"))), want: marked("[ ] alpha")},
			keymap.ChoiceRight: {set: choosing, want: marked("[ ] beta"), back: doing("\x1b[D", marked("[ ] alpha"))},
			keymap.ChoiceTake:  {set: choosing, want: hides("[ ] alpha"), back: doing("\x7f", shows("[ ] alpha"))},
			keymap.ChoiceClear: {set: steps(choosing, doing(" ", hides("[ ] alpha"))), want: shows("[ ] alpha")},
		},
	}
}

// openingScene is a question that wants a page opened.
func openingScene() scene {
	low := doing("\x1b[6~", hides("rows 1 to"))
	return scene{
		open: func(t *testing.T) *terminal { return openQuestioner(t, "page", shows("rows 1 to")) },
		ground: func(s *terminal) {
			s.t.Helper()
			if !s.Look().Shows("wants a page opened") {
				s.questioned("page", waits("rows 1 to"))
			}
			s.does(strings.Repeat("\x1b[5~", 6), waits("rows 1 to"))
		},
		deeds: map[keymap.Action]deed{
			keymap.QuestionUp:       {set: low, want: ranged(-1, -1)},
			keymap.QuestionDown:     {want: ranged(1, 1)},
			keymap.QuestionPageUp:   {set: low, want: shows("rows 1 to")},
			keymap.QuestionPageDown: {want: ranged(5, 30)},
			keymap.QuestionTop:      {set: low, want: shows("rows 1 to")},
			keymap.QuestionEnd:      {want: shows("pay.example/x")},
			keymap.QuestionOpen:     {set: doing(strings.Repeat("\x1b[6~", 6), shows("open it in the browser")), want: shows("answered: accept")},
			keymap.QuestionCopy:     {want: copies("https://pay.example/x")},
			keymap.QuestionClose:    {want: shows("answered: cancel")},
		},
	}
}

// windowScene is what fills the window of a conversation.
func windowScene() scene {
	low := doing("G", points("answer: - two 01."))
	dropped := steps(low, doing("d", shows("✗ dropped")))
	at := func(v screentest.Sight, words string) int { return strings.Index(v.Text(), words) }
	sorted := func(_, now screentest.Sight) bool { return at(now, "result of read_file") < at(now, "you: read") }
	unsorted := func(_, now screentest.Sight) bool { return at(now, "you: read") < at(now, "result of read_file") }
	onResult := doing("G"+strings.Repeat("k", 7), points("result of read_file:"))
	return scene{
		open: func(t *testing.T) *terminal {
			st := newStage(t)
			st.put(t, filepath.Join(st.dir, "read.txt"), rows("read", 600))
			s := st.open(t, talkScript())
			for _, ask := range [][2]string{{"read", "It was read."}, {"whole", "package long"}, {"question one", "one 60."}, {"question two", "two 60."}} {
				s.does(ask[0]+"\r", shows("ask for something", "? for keys", ask[1]))
			}
			return s
		},
		ground: func(s *terminal) {
			s.t.Helper()
			s.reached()
			s.does("/context\r", shows("What the model sees", "▾ conversation"))
			s.does("g\x1b[B", points("system prompt"))
		},
		deeds: map[keymap.Action]deed{
			keymap.WindowUp:       {set: low, want: points("you: question two")},
			keymap.WindowDown:     {want: points("▸ forge's tools")},
			keymap.WindowPageUp:   {set: low, want: points("▾ system prompt")},
			keymap.WindowPageDown: {want: points("answer: - two 01.")},
			keymap.WindowTop:      {set: low, want: points("▾ system prompt")},
			keymap.WindowEnd:      {want: points("answer: - two 01.")},
			keymap.WindowFold:     {set: doing("g", points("▾ system prompt")), want: shows("▸ system prompt"), back: doing("\r", shows("▾ system prompt"))},
			keymap.WindowOpen:     {set: low, want: shows("as the model sees it"), back: doing("q", shows("What the model sees"))},
			keymap.WindowDrop:     {set: low, want: shows("✗ dropped"), back: doing("r", hides("✗ dropped"))},
			keymap.WindowCollapse: {set: onResult, want: shows("collapsed"), back: doing("r", hides("collapsed"))},
			keymap.WindowRestore:  {set: dropped, want: hides("✗ dropped")},
			keymap.WindowPin:      {set: low, want: shows("pinned"), back: doing("p", hides("pinned"))},
			keymap.WindowUndo:     {set: dropped, want: hides("✗ dropped")},
			keymap.WindowSort:     {want: sorted, back: doing("s", unsorted)},
			keymap.WindowRedraw:   {set: scribble, want: hides("SCRIBBLED")},
			keymap.WindowSuspend:  {want: shows("the shell has it"), back: doing("\r", shows("What the model sees"))},
			keymap.WindowClose:    {want: hides("What the model sees")},
		},
	}
}

// guardedServer is an MCP server that wants a login nobody finishes.
func guardedServer(t *testing.T) string {
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	say := func(path string, v map[string]any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(v)
		})
	}
	say("/.well-known/oauth-protected-resource", map[string]any{"resource": s.URL + "/mcp", "authorization_servers": []string{s.URL}})
	say("/.well-known/oauth-authorization-server", map[string]any{"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
		"registration_endpoint": s.URL + "/register", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"}})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var m map[string]any
		json.NewDecoder(r.Body).Decode(&m)
		m["client_id"], m["token_endpoint_auth_method"] = "client-1", "none"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(m)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	return s.URL + "/mcp"
}

func openServers(t *testing.T) *terminal {
	st := newStage(t)
	st.put(t, filepath.Join(st.dir, ".mcp.json"), `{"mcpServers":{"theirs":{"command":"forge","args":["mcp","demo"]}}}`)
	st.program(t, "counts", "n=$(cat \"$0.n\" 2>/dev/null); n=$((n+1)); echo $n > \"$0.n\"; echo \"start $n\" >&2; exit 1\n")
	s := st.open(t, talkScript(), "--mcp", "demo=forge mcp demo", "--mcp", "counts="+filepath.Join(st.bin, "counts"), "--mcp", "guarded="+guardedServer(t))
	return s
}

// untrusted is the ground on which nobody is asked to trust the folder any more.
func (s *terminal) untrusted() {
	s.t.Helper()
	s.does("", waits("Do you trust this folder?"))
	s.does("n", hides("Do you trust this folder?"))
}

const wantsStart = "This project wants to start"

// refused does not let a server start.
func refused(s *terminal) {
	s.t.Helper()
	s.answer(wantsStart, "n")
	s.lose(wantsStart)
}

// chosen wants the chosen line of a list to have a name in it.
func chosen(name string) check {
	return func(_, now screentest.Sight) bool {
		return slices.ContainsFunc(now.Marked, func(run string) bool { return strings.HasPrefix(run, "❯") && strings.Contains(run, name) })
	}
}

// serversScene is the list of servers: one that fails, one that runs, one that wants a
// login, one that waits to be approved.
func serversScene() scene {
	onDemo := doing("g\x1b[B", chosen("demo"))
	onGuarded := doing("g\x1b[B\x1b[B", chosen("guarded"))
	onTheirs := doing("G", chosen("theirs"))
	return scene{
		open: func(t *testing.T) *terminal { s := openServers(t); s.untrusted(); return s },
		ground: func(s *terminal) {
			s.t.Helper()
			s.reached()
			s.does("/mcp\r", shows("enter look", "demo     ready"))
			s.does("g", chosen("counts"))
		},
		deeds: map[keymap.Action]deed{
			keymap.ServersUp:      {set: onDemo, want: chosen("counts")},
			keymap.ServersDown:    {want: chosen("demo")},
			keymap.ServersTop:     {set: onTheirs, want: chosen("counts")},
			keymap.ServersEnd:     {want: chosen("theirs")},
			keymap.ServersOpen:    {set: onDemo, want: shows("[tools 2]")},
			keymap.ServersSwitch:  {set: onDemo, want: shows("demo     disabled"), back: doing(" ", shows("demo     ready"))},
			keymap.ServersRetry:   {set: onTheirs, want: shows(wantsStart), back: refused},
			keymap.ServersDisable: {set: onDemo, want: shows("demo     disabled"), back: doing("d", shows("demo     ready"))},
			keymap.ServersApprove: {set: onTheirs, want: shows(wantsStart), back: refused},
			keymap.ServersLogin:   {set: onGuarded, want: shows("Log in to guarded"), back: doing("\x1b[27u", hides("Log in to guarded"))},
			keymap.ServersLog:     {set: onDemo, want: shows("log of demo")},
			keymap.ServersRedraw:  {set: scribble, want: hides("SCRIBBLED")},
			keymap.ServersSuspend: {want: shows("the shell has it"), back: doing("\r", shows("enter look"))},
			keymap.ServersClose:   {want: hides("enter look")},
		},
	}
}

// serverScene is one server, looked at.
func serverScene() scene {
	below := doing("\x1b[B", chosen("word_count"))
	about := doing("\x1b[Z", shows("[about]", "starts"))
	return scene{
		open: func(t *testing.T) *terminal { s := openServers(t); s.untrusted(); return s },
		ground: func(s *terminal) {
			s.t.Helper()
			s.reached()
			s.does("/mcp demo\r", shows("[tools 2]", "● ready"))
			s.does("g", chosen("current_time"))
		},
		deeds: map[keymap.Action]deed{
			keymap.ServerUp:         {set: below, want: chosen("current_time")},
			keymap.ServerDown:       {want: chosen("word_count")},
			keymap.ServerPageUp:     {set: below, want: chosen("current_time")},
			keymap.ServerPageDown:   {want: chosen("word_count")},
			keymap.ServerTop:        {set: below, want: chosen("current_time")},
			keymap.ServerEnd:        {want: chosen("word_count")},
			keymap.ServerPageBefore: {want: shows("[about]")},
			keymap.ServerNextPage:   {want: shows("[to approve 0]")},
			keymap.ServerSwitch:     {want: shows("❯ [ ] current_time"), back: doing(" ", shows("❯ [✓] current_time"))},
			keymap.ServerRetry:      {set: about, want: restarted},
			keymap.ServerDisable:    {want: shows("○ disabled"), back: doing("d", shows("● ready"))},
			keymap.ServerApprove: {set: func(s *terminal) {
				s.t.Helper()
				s.reached()
				s.does("/mcp theirs\r", shows("theirs  ▲ unapproved", "esc back"))
			}, want: shows(wantsStart), back: refused},
			keymap.ServerLogin:   {want: shows("a login is for servers at a URL")},
			keymap.ServerLog:     {want: shows("log of demo")},
			keymap.ServerRedraw:  {set: scribble, want: hides("SCRIBBLED")},
			keymap.ServerSuspend: {want: shows("the shell has it"), back: doing("\r", shows("[tools 2]"))},
			keymap.ServerBack:    {want: shows("enter look")},
			keymap.ServerClose:   {want: hides("esc back")},
		},
	}
}

var startsRow = regexp.MustCompile(`starts +(\d+)`)

// restarted wants a server to have been started once more.
func restarted(before, now screentest.Sight) bool {
	a, b := startsRow.FindStringSubmatch(before.Text()), startsRow.FindStringSubmatch(now.Text())
	return a != nil && b != nil && a[1] != b[1]
}

// loggingInScene is a login that nobody finishes.
func loggingInScene() scene {
	return scene{
		open: func(t *testing.T) *terminal { s := openServers(t); s.untrusted(); return s },
		ground: func(s *terminal) {
			s.t.Helper()
			if !s.Look().Shows("/authorize") {
				s.reached()
				s.does("/mcp guarded\r", shows("needs login", "esc back"))
				s.does("l", shows("/authorize"))
			}
		},
		deeds: map[keymap.Action]deed{
			keymap.LoginOpen:    {set: doing("c", hides("opening the browser")), want: shows("opening the browser")},
			keymap.LoginCopy:    {want: copies("http://127.0.0.1")},
			keymap.LoginRedraw:  {set: scribble, want: hides("SCRIBBLED")},
			keymap.LoginSuspend: {want: shows("the shell has it"), back: doing("\r", shows("/authorize"))},
			keymap.LoginStop:    {want: hides("/authorize")},
		},
	}
}
