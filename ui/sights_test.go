package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/cockpit"
	"forge/ui/ledger"
)

// sight is something a person sees, on a model that stands still.
type sight struct {
	name string
	play func(t *testing.T, m *Model, later func(time.Duration))
}

const sceneAnswer = `## The median is fixed

**Median** took the element at ` + "`len/2`" + `: with an *even* number that is the upper of two. 偶数个元素时取中间两个的平均值 🎉

| laps | before | now |
|:-----|-------:|----:|
| 64, 60, 62 | 62 | 62 |
| 64, 60, 66, 62 | 64 | 63 |

1. the test failed before
   - on the even case
2. it passes now
- [x] checked
- [ ] released, see [the notes](https://example.com/notes)

> Mean and Fastest are untouched.
`

const sceneCode = "\n```go\n// Median is the middle of the laps.\nfunc Median(laps []float64) float64 {\n\tmid := len(sorted) / 2\n\treturn sorted[mid] // 中位数\n}\n```\n"

func turn(cost float64) agent.TurnEnd {
	return agent.TurnEnd{Stop: provider.StopEnd, Usage: provider.Usage{Input: 4500, Output: 350, CacheRead: 4100}, Cost: cost, CostKnown: true, Used: 4850, Window: 100_000}
}

// busy makes the model one in the middle of a run.
func busy(m *Model) {
	m.job = &job{id: 1, cancel: func() {}}
	m.jobs = 1
	m.talk.begin(m.now)
}

func toolCards(m *Model, later func(time.Duration)) {
	busy(m)
	tell(m, agent.UserMessage{Text: "why does the median test fail? 找出错误并修复"}, agent.TurnStart{Turn: 1},
		agent.ThinkingDelta{Block: 0, Text: "The median of an even list.\nI read the file first."}, agent.TextDelta{Block: 1, Text: "I read the file and run the tests."})
	call := func(id, name string, e tools.Effect, r tools.Result, took time.Duration, changes ...tools.Change) {
		tell(m, agent.ToolStart{ID: id, Name: name, Effect: e}, agent.ToolRunning{ID: id})
		later(took)
		tell(m, agent.ToolEnd{ID: id, Name: name, Result: r, Changes: changes, Took: took})
	}
	call("1", "read_file", tools.Effect{Kind: tools.Read, Title: "read stats.go"}, tools.Result{Text: "1 package stats", Display: "40 lines"}, 20*time.Millisecond)
	call("2", "run_bash", tools.Effect{Kind: tools.Exec, Title: "run go test ./...", Command: "go test ./..."},
		tools.Result{Text: "--- FAIL: TestMedian (0.00s)\n    stats_test.go:22: Median([64 60 66 62]) = 64, want 63\nFAIL\nFAIL\texample.com/laps\t0.003s\nok\texample.com/laps/a\nok\texample.com/laps/b\nok\texample.com/laps/c\nFAIL", Display: "exit code 1 · 1.3 s", IsError: true}, 1300*time.Millisecond)
	call("3", "edit_file", tools.Effect{Kind: tools.Write, Title: "edit stats.go (+5 −1)", Changes: []tools.Change{sceneChange()}}, tools.Result{Text: "edited stats.go"}, 20*time.Millisecond, sceneChange())
	call("4", "run_bash", tools.Effect{Kind: tools.Exec, Title: "run rm -rf build", Command: "rm -rf build"}, tools.Result{Text: "not run: the user declined; ask first", IsError: true, Refused: true}, 0)
	tell(m, agent.ToolStart{ID: "5", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run go vet ./...", Command: "go vet ./..."}}, agent.ToolRunning{ID: "5"}, agent.ToolOutput{ID: "5", Text: "# example.com/laps\nvet: checking\n"})
	later(3 * time.Second)
	tell(m, agent.ToolInput{Block: 9, ID: "6", Name: "write_file", JSON: `{"path":"notes.md","content":"# Notes\n\none\ntwo`})
}

func sceneChange() tools.Change {
	before := "package stats\n\n// Median is the middle of the laps.\nfunc Median(laps []float64) float64 {\n\tsorted := clone(laps)\n\tsort.Float64s(sorted)\n\treturn sorted[len(sorted)/2]\n}\n"
	after := strings.Replace(before, "\treturn sorted[len(sorted)/2]\n", "\tmid := len(sorted) / 2\n\tif len(sorted)%2 == 0 {\n\t\treturn (sorted[mid-1] + sorted[mid]) / 2 // 偶数\n\t}\n\treturn sorted[mid]\n", 1)
	return tools.Change{Path: "stats.go", Op: tools.Modify, Before: []byte(before), After: []byte(after)}
}

func putAsk(m *Model, r permission.Request, later func(time.Duration)) {
	m.events(batch{}) // the clock of the loop
	workNow(m, m.ask(&ask{request: &r, answer: make(chan permission.Answer, 1)}))
	later(2 * time.Second)
}

// workNow runs commands that end at once and leaves out those that wait for a clock.
func workNow(m *Model, cmd tea.Cmd) {
	done := make(chan tea.Msg, 1)
	if cmd == nil {
		return
	}
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		if list, ok := msg.(tea.BatchMsg); ok {
			for _, c := range list {
				workNow(m, c)
			}
			return
		}
		if msg != nil {
			_, next := m.Update(msg)
			workNow(m, next)
		}
	case <-time.After(100 * time.Millisecond): // of the bubble
	}
}

func sceneOptions() Options {
	o := testOptions(&fakeAgent{})
	o.Sandbox = "landlock"
	items := []ledger.Item{
		{Group: "system", Name: "system prompt", Tokens: 2100, Fixed: true, Cost: 0.00063},
		{Group: "memory", Name: "AGENTS.md", Tokens: 640, Fixed: true},
		{Group: "tools", Owner: "forge", Name: "read_file", About: "Reads a file.", Tokens: 310, Fixed: true},
		{Group: "tools", Owner: "docs", Name: "mcp__docs__find", About: "Finds.", Tokens: 4200, Fixed: true},
		{ID: "p1", Group: "talk", Kind: "prompt", Name: "修复 the median of 偶数 lists", Tokens: 12, Age: 4},
		{ID: "c1", Group: "talk", Kind: "result", Name: "run_bash", About: "--- FAIL: TestMedian", Tokens: 18200, Age: 3, Cost: 0.00546, Pinned: true},
		{ID: "c2", Group: "talk", Kind: "result", Name: "read_file", About: "package stats", Tokens: 900, Age: 2, Dropped: true},
		{ID: "a1", Group: "talk", Kind: "answer", Name: "The median of an even list is the mean of two.", Tokens: 60, Age: 1},
	}
	o.Ledger = &Ledger{Window: func() ledger.Window {
		return ledger.Window{Items: items, Tokens: 61_300, Limit: 108_000, Size: 128_000, CostKnown: true}
	}, Usage: func() ledger.Usage {
		return ledger.Usage{Session: ledger.Sum{Calls: 7, USD: 0.42, Input: 181_000, Output: 6200, CacheRead: 150_000}, Today: ledger.Sum{Calls: 31, USD: 2.12, Input: 1_400_000, Output: 41_000},
			TodayKnown: true, Work: "4 m 12 s", Missed: 12_000, MissedCost: 0.03,
			Models: []ledger.Sum{{Name: "anthropic/claude", Calls: 5, USD: 0.4, Input: 160_000, Output: 5000}, {Name: "local/qwen", Calls: 2, Unpriced: 2, Input: 21_000, Output: 1200}},
			Tokens: []float64{12_000, 14_000, 22_000, 41_000, 39_000, 52_000, 61_300}, Costs: []float64{0.02, 0.03, 0.05, 0.09, 0.08, 0.07, 0.08},
			Levels: []ledger.Level{{Name: "money", Spent: "$0.42", Limit: "$0.50", Share: 0.84}}, Used: 61_300, Size: 128_000, Limit: 108_000}
	}}
	at := time.Date(2026, 1, 2, 3, 2, 5, 0, time.UTC)
	o.Servers = &Servers{Status: func() []cockpit.Server {
		return []cockpit.Server{
			{Name: "docs", State: cockpit.NeedsLogin, Reason: "run forge mcp login docs", Command: "https://mcp.example.com/mcp", Source: "~/.config/forge/mcp.json:3", Since: at},
			{Name: "files", State: cockpit.Ready, Protocol: "2025-11-25", Transport: "stdio", About: "files 1.2", Command: "npx -y files .", Source: ".mcp.json:2", Latency: 12 * time.Millisecond, Starts: 1, Tokens: 1234,
				Tools: []cockpit.Tool{{Name: "mcp__files__read", Remote: "read", About: "Read a file.", Tokens: 400, On: true, Switched: true, ReadOnly: true}}},
			{Name: "gone", State: cockpit.Failed, Reason: "no program gone is found: install it, or give its whole path", Command: "gone --serve", Source: ".mcp.json:9", Since: at},
			{Name: "new", State: cockpit.Starting, Command: "new", Source: ".mcp.json:12", Since: at},
		}
	}}
	o.Models = nil
	return o
}

// sights are what is drawn in every size, theme and language.
func sights() []sight {
	return []sight{
		{"first", func(_ *testing.T, m *Model, _ func(time.Duration)) {}},
		{"writing", func(_ *testing.T, m *Model, _ func(time.Duration)) {
			typeText(m, "修复 the median 🎉 of a long list, so long that it must be wrapped on a screen of eighty cells")
			m.Update(keyMsg("shift+enter"))
			typeText(m, "and a second line")
		}},
		{"streaming", func(_ *testing.T, m *Model, later func(time.Duration)) {
			busy(m)
			tell(m, agent.UserMessage{Text: "why does the median test fail?"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Block: 0, Text: sceneAnswer + sceneCode[:len(sceneCode)-20]})
			later(4 * time.Second)
		}},
		{"answer", func(_ *testing.T, m *Model, later func(time.Duration)) {
			busy(m)
			tell(m, agent.UserMessage{Text: "why does the median test fail?"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Block: 0, Text: sceneAnswer + sceneCode})
			later(4 * time.Second)
			tell(m, turn(0.012), agent.RunEnd{})
			m.ended(jobDone{id: 1})
			m.View()
			_, cmd := m.Update(tickMsg{})
			workNow(m, cmd)
		}},
		{"cards", func(_ *testing.T, m *Model, later func(time.Duration)) { toolCards(m, later) }},
		{"unfolded", func(_ *testing.T, m *Model, later func(time.Duration)) {
			toolCards(m, later)
			press(m, "ctrl+o")
		}},
		{"trouble", func(_ *testing.T, m *Model, later func(time.Duration)) {
			busy(m)
			tell(m, agent.UserMessage{Text: "go on"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Block: 0, Text: "Let me"},
				agent.Retrying{Err: &provider.Error{Kind: provider.KindServer, Message: "overloaded"}, After: 8 * time.Second, Attempt: 2, Attempts: 5})
			m.queue = append(m.queue, "and then release it", "然后发布")
			m.todos = []Todo{{"read", "done"}, {"mend the median", "in_progress"}, {"run the tests", "pending"}}
			later(2 * time.Second)
		}},
		{"inquiry", func(_ *testing.T, m *Model, later func(time.Duration)) {
			busy(m)
			tell(m, agent.UserMessage{Text: "build the service"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "Two things are yours to decide."},
				agent.ToolStart{ID: "7", Name: "ask_user", Effect: tools.Effect{Kind: tools.Internal, Title: "ask: Database, 部署"}}, agent.ToolRunning{ID: "7"})
			q := tools.Question{ID: "7", Topics: []tools.Topic{
				{Header: "Database", Text: "Which database should the service use?", Options: []tools.Alternative{
					{Label: "PostgreSQL", About: "runs in docker-compose already; needs a migration"}, {Label: "SQLite", About: "a file, no server"}}},
				{Header: "部署", Text: "部署到哪里？", Many: true, Options: []tools.Alternative{{Label: "测试环境", About: "先在这里验证"}, {Label: "生产环境"}}}}}
			m.events(batch{}) // the clock of the loop
			workNow(m, m.ask(&ask{question: &q, reply: make(chan tools.Reply, 1)}))
			later(2 * time.Second)
			for _, k := range []string{"down", "enter", "1"} {
				m.View()
				press(m, k)
			}
		}},
		{"permission", func(_ *testing.T, m *Model, later func(time.Duration)) {
			busy(m)
			tell(m, agent.UserMessage{Text: "clean up"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Block: 0, Text: "I remove what was built."})
			e := tools.Effect{Kind: tools.Exec, Title: "run rm -rf build && make", Command: "rm -rf build &&\n  make all # 全部"}
			tell(m, agent.ToolStart{ID: "1", Name: "run_bash", Effect: e})
			putAsk(m, permission.Request{Call: tools.Call{ID: "1", Name: "run_bash"}, Effect: e, Level: permission.High, Cwd: "~/project", Sandbox: "landlock, no network",
				Risks: []permission.Risk{{Reason: "deletes files"}}, Grants: []permission.Grant{{Text: "run make in the workspace"}}, Rules: []string{"run_bash(make *)"}, StoredIn: "~/.config/forge/forge.json"}, later)
		}},
		{"review", func(_ *testing.T, m *Model, later func(time.Duration)) {
			busy(m)
			e := tools.Effect{Kind: tools.Write, Title: "edit stats.go (+5 −1)", Changes: []tools.Change{sceneChange()}}
			tell(m, agent.UserMessage{Text: "mend it"}, agent.TurnStart{Turn: 1}, agent.ToolStart{ID: "1", Name: "edit_file", Effect: e})
			putAsk(m, permission.Request{Call: tools.Call{ID: "1", Name: "edit_file"}, Effect: e, Level: permission.Low, Grants: []permission.Grant{{Text: "edit files in the workspace"}}}, later)
		}},
		{"context", func(_ *testing.T, m *Model, _ func(time.Duration)) {
			workNow(m, m.runCommand("/context", "context", ""))
		}},
		{"usage", func(_ *testing.T, m *Model, _ func(time.Duration)) { workNow(m, m.runCommand("/usage", "usage", "")) }},
		{"mcp", func(_ *testing.T, m *Model, _ func(time.Duration)) {
			workNow(m, m.readServers())
			workNow(m, m.runCommand("/mcp", "mcp", ""))
		}},
		{"picker", func(_ *testing.T, m *Model, _ func(time.Duration)) {
			m.models = []ModelChoice{{Model: provider.Model{Provider: "demo", ID: "demo-1"}, Note: "100k, free"},
				{Model: provider.Model{Provider: "anthropic", ID: "claude-sonnet"}, Note: "1M, $3.00 in, $15.00 out"}, {Model: provider.Model{Provider: "本地", ID: "通义千问-2.5"}, Note: "32k"}}
			workNow(m, m.pickModel())
		}},
		{"menu", func(_ *testing.T, m *Model, _ func(time.Duration)) { typeText(m, "/mo") }},
		{"scrolled", func(_ *testing.T, m *Model, _ func(time.Duration)) {
			for range 12 {
				tell(m, agent.UserMessage{Text: "一 question"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "an answer\n\nof two parts"}, turn(0.01), agent.RunEnd{})
			}
			m.View()
			m.tr.toTop()
			m.tr.scroll(30)
		}},
		{"statusline", func(_ *testing.T, m *Model, _ func(time.Duration)) {
			m.status.used, m.status.place = 62_000, Place{Branch: "topic/中位数"}
			m.script.line = "\x1b[35mmine\x1b[0m: says 三 things"
			workNow(m, m.runCommand("/statusline", "statusline", ""))
			tap(m, "down", "down", "enter", "up", "enter", "shift+down") // the sandbox to the right, the mode away
		}},
		{"help", func(_ *testing.T, m *Model, _ func(time.Duration)) { workNow(m, m.runCommand("/help", "help", "")) }},
	}
}
