//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"forge/provider/demo"
	"forge/tools/secrets"
)

// TestSecretsStayHere runs the whole program against a server that keeps what it
// is sent: keys that tools read, commands print, instructions hold and a person
// pastes are in no request, no record, no log and no kept output; and files and
// commands get them all the same, to the byte.
func TestSecretsStayHere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	// Made up, and put together so that nobody takes this file for a leak.
	password := strings.Join([]string{"kX9", "mQ27", "vRt4", "pLw8"}, "")
	odd := strings.Join([]string{"q7", "touch hit", "$x\"9Z"}, ";")
	github := "gh" + "p_" + strings.Repeat("a1B2c3D4e", 4)
	pasted := "sk-" + "ant-" + "api03-" + strings.Repeat("Zz9Yy8Xx7-", 6) + "AA"
	memory := "xo" + "xb-" + strings.Repeat("918273645", 3) + "-Qw7Er5Ty3Ui1"
	block := "-----BEGIN " + "RSA PRIVATE" + " KEY-----\n" + strings.Repeat("MIIkq9"+strings.Repeat("Tz4w", 14)+"q8\n", 3) + "-----END " + "RSA PRIVATE" + " KEY-----\n"
	values := []string{password, odd, github, pasted, memory, strings.Split(block, "\n")[1]}

	state := filepath.Join(dir, "state")
	key, err := secrets.Key(filepath.Join(state, "forge", "placeholders.key"))
	if err != nil {
		t.Fatal(err)
	}
	guard := secrets.New(secrets.Options{Key: key})
	stands := func(line, value string) string {
		masked, hidden := guard.Mask(line)
		if len(hidden) != 1 || strings.Contains(masked, value) {
			t.Fatalf("%q: %v", masked, hidden)
		}
		return hidden[0].Placeholder
	}
	p := stands("DB_PASSWORD="+password, password)
	q := stands("ODD_PASSWORD='"+odd+"'", odd)
	g := stands("token "+github, github)

	env := "# settings\r\nDB_PASSWORD=" + password + "\r\nODD_PASSWORD='" + odd + "'\r\nPORT=8080\r\n"
	for name, text := range map[string]string{
		".env": env, "ci.yml": "deploy:\n  token: " + github + "\n", "id.pem": block,
		"CLAUDE.md": "The bot's token is " + memory + ".\n",
	} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := fmt.Sprintf(`
expect user SECRET_anthropic_
expect system SECRET_slack_
call read_file {"path":".env"}
call read_file {"path":"ci.yml"}
call read_file {"path":"id.pem","offset":2,"limit":1}
call grep {"pattern":"token"}
end
expect result[read_file] DB_PASSWORD=%[1]s
expect result SECRET_private_key_
call edit_file {"path":".env","edits":[{"old_string":"DB_PASSWORD=%[1]s\nODD_PASSWORD='%[2]s'","new_string":"DB_PASSWORD=%[1]s\nDB_OTHER=%[1]s!\nODD_PASSWORD='%[2]s'"}]}
call write_file {"path":"out.json","content":"{\"t\": \"%[3]s\"}"}
call run_bash {"command":"printf '%%s|%%s' %[3]s '%[2]s' >got.txt; cat got.txt .env id.pem; seq 9000 | sed 's/$/ token=%[3]s/'; echo %[1]s"}
call run_bash {"command":"echo %[3]s; sleep 1000","background":true}
end
expect not failed
call job_output {"id":"job1"}
end
expect not failed
call job_kill {"id":"job1"}
call grep {"pattern":"nothing at all","path":"missing/%[3]s"}
end
text Done with %[3]s.
end
call edit_file {"path":".env","edits":[{"old_string":"DB_OTHER=%[1]s!","new_string":"DB_LATER=%[1]s!"}]}
call run_bash {"command":"echo %[3]s"}
end
expect result[run_bash] is not known in this run
text Done again.
end
`, p, q, g)
	parsed, err := demo.Parse(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var sent bytes.Buffer
	served := demo.Serve(parsed, demo.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		sent.Write(body)
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		served.ServeHTTP(w, r)
	}))
	defer server.Close()

	run := func(args ...string) string {
		t.Helper()
		c := exec.Command("forge", args...)
		c.Dir = work
		c.Env = append(append(plainEnviron(), home(dir)...), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+server.URL+"/v1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	out := run("-p", "deploy with "+pasted+" please", "--yolo", "--output-format", "stream-json", "--raw", filepath.Join(dir, "raw"))

	// Here the values are what they were.
	want := strings.Replace(env, "DB_PASSWORD="+password+"\r\n", "DB_PASSWORD="+password+"\r\nDB_OTHER="+password+"!\r\n", 1)
	for name, text := range map[string]string{".env": want, "out.json": `{"t": "` + github + `"}`, "got.txt": github + "|" + odd} {
		if b, err := os.ReadFile(filepath.Join(work, name)); err != nil || string(b) != text {
			t.Errorf("%s holds %q (%v), want %q\n%s", name, b, err, text, out)
		}
	}
	if _, err := os.Stat(filepath.Join(work, "hit")); err == nil {
		t.Error("a value was run as a command")
	}
	// A later forge goes on with them where it sees the file they stand in; what it
	// has not seen it does not make up.
	out += run("-c", "-p", "and now", "--yolo", "--output-format", "stream-json")
	want = strings.Replace(want, "DB_OTHER", "DB_LATER", 1)
	if b, err := os.ReadFile(filepath.Join(work, ".env")); err != nil || string(b) != want {
		t.Errorf("after going on, .env holds %q (%v), want %q", b, err, want)
	}
	mu.Lock()
	requests := sent.String()
	mu.Unlock()
	if !strings.Contains(requests, g) || !strings.Contains(requests, "hidden from you here") {
		t.Errorf("the requests tell nothing of placeholders: %s", requests)
	}
	look := map[string]string{"a request": requests, "what is printed": out}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, work) {
			return err
		}
		b, err := os.ReadFile(path)
		look[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	spilled, journaled := false, false
	for where, text := range look {
		// What undo needs is the files' own bytes: they are there, and not to be read.
		journaled = journaled || strings.Contains(where, "/objects/") && len(text) > 0
		spilled = spilled || strings.Contains(where, "output") && strings.Contains(text, "9000 token=SECRET_github_")
		for i, v := range values {
			if strings.Contains(text, v) {
				t.Errorf("value %d is in %s", i, where)
			}
		}
	}
	if !journaled {
		t.Error("undo keeps nothing: the test has lost a part of its point")
	}
	if !spilled {
		for where, text := range look {
			if strings.Contains(where, "output") {
				t.Logf("%s: %d bytes, ends %q", where, len(text), text[max(0, len(text)-200):])
			}
		}
		t.Errorf("no long output was kept: the test has lost a part of its point\n%s", out)
	}
}
