package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"forge/provider/demo"
	"forge/tools/builtin"
)

// firstRequestMax bounds the first request of the default tool set, in bytes of its
// body: system prompt, tools and a short question. It is paid for at every start of
// a conversation, and read by the model at every turn.
const firstRequestMax = 10_000

// wireEnv makes a server the one of a wire.
var wireEnv = map[string]func(url string) []string{
	"openai":    func(url string) []string { return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=k"} },
	"anthropic": func(url string) []string { return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=k"} },
}

// greeter is a server that says hello on either wire; sent are the bodies it got.
func greeter(t *testing.T) (url string, sent func() [][]byte) {
	t.Helper()
	script, err := demo.Parse(strings.NewReader("loop\ntext hello\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	played := demo.Serve(script, demo.Options{})
	var mu sync.Mutex
	var bodies [][]byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.Method == http.MethodPost {
			mu.Lock()
			bodies = append(bodies, body)
			mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		played.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() [][]byte {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(bodies)
	}
}

// checkFirst wants a request with these tools, and a small one.
func checkFirst(t *testing.T, bodies [][]byte, names ...string) {
	t.Helper()
	if len(bodies) != 1 {
		t.Fatalf("%d requests, want one", len(bodies))
	}
	for _, tool := range append(names, "read_file", "list_dir", "glob", "grep", "write_file", "edit_file", "run_bash", "todo") {
		if !bytes.Contains(bodies[0], []byte(`"name":"`+tool+`"`)) {
			t.Errorf("%s is not offered", tool)
		}
	}
	if n := len(bodies[0]); n >= firstRequestMax {
		t.Errorf("the first request has %d bytes, want fewer than %d", n, firstRequestMax)
	}
}

// TestFirstRequestIsSmall: what forge asks first fits in 10 KB on either wire. Nobody can
// be asked there, so that nothing is said of asking.
func TestFirstRequestIsSmall(t *testing.T) {
	for wire, env := range wireEnv {
		t.Run(wire, func(t *testing.T) {
			url, sent := greeter(t)
			p := newProgram(t, env(url)...)
			p.write(t, "AGENTS.md", "Be brief.\n")
			out, errOut, code := p.run(t, "-p", "hello", "-C", ".", "--provider", wire, "-m", demo.ModelID)
			if code != 0 || out != "hello\n" {
				t.Fatalf("exit %d, %q, %q", code, out, errOut)
			}
			bodies := sent()
			checkFirst(t, bodies)
			if bytes.Contains(bodies[0], []byte(builtin.AskName)) {
				t.Errorf("%s is told of where nobody can be asked", builtin.AskName)
			}
		})
	}
}

// initLine is what GODEBUG=inittrace=1 says of one package.
var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock, (\d+) bytes, (\d+) allocs`)

// initTrace starts forge for nothing and returns what each package's init cost.
func initTrace(tb testing.TB) [][]string {
	tb.Helper()
	c := exec.Command("forge", "--version")
	c.Env = append(append(plainEnviron(), home(tb.TempDir())...), "GODEBUG=inittrace=1")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); err != nil {
		tb.Fatal(err)
	}
	lines := initLine.FindAllStringSubmatch(stderr.String(), -1)
	if len(lines) == 0 {
		tb.Fatalf("no package was traced: %s", stderr.String())
	}
	return lines
}

// TestInitIsSmall: before main, forge's own packages allocate next to nothing.
// Tables and patterns are made when they are first asked for.
func TestInitIsSmall(t *testing.T) {
	const most = 16 << 10 // bytes, of all of them
	total := 0
	for _, l := range initTrace(t) {
		if n, err := strconv.Atoi(l[3]); err != nil {
			t.Fatal(err)
		} else if strings.HasPrefix(l[1], "forge/") {
			total += n
		}
	}
	if total > most {
		t.Errorf("forge's packages allocate %d bytes before main, want at most %d", total, most)
	}
}

// BenchmarkInitTime is the time before main, of forge's own packages and of all.
// Goal: 3 ms for our own, 4 ms for all.
func BenchmarkInitTime(b *testing.B) {
	var ours, all float64
	for b.Loop() {
		for _, l := range initTrace(b) {
			ms, err := strconv.ParseFloat(l[2], 64)
			if err != nil {
				b.Fatal(err)
			}
			all += ms
			if strings.HasPrefix(l[1], "forge/") {
				ours += ms
			}
		}
	}
	b.ReportMetric(ours/float64(b.N), "own-ms")
	b.ReportMetric(all/float64(b.N), "all-ms")
}

// BenchmarkBinarySize builds what a release is. Goal: 20 MB at most.
func BenchmarkBinarySize(b *testing.B) {
	file := filepath.Join(b.TempDir(), "forge")
	for b.Loop() {
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB")
}
