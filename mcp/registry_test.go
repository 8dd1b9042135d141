package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

// A shelf is a registry that knows what it is given, in the shape the API has.
func shelf(t *testing.T, servers ...string) (*httptest.Server, *[]string) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.EscapedPath()+"?"+r.URL.RawQuery)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		if name, ok := strings.CutPrefix(r.URL.Path, "/v0.1/servers/"); ok {
			for _, e := range servers {
				if strings.Contains(e, fmt.Sprintf("%q", strings.TrimSuffix(name, "/versions/latest"))) {
					io.WriteString(w, e)
					return
				}
			}
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"title":"Not Found","status":404,"detail":"Server not found"}`)
			return
		}
		var found []string
		for _, e := range servers {
			if strings.Contains(e, r.URL.Query().Get("search")) {
				found = append(found, e)
			}
		}
		fmt.Fprintf(w, `{"servers":[%s],"metadata":{"nextCursor":"x:1.0.0","count":%d}}`, strings.Join(found, ","), len(found))
	}))
	t.Cleanup(s.Close)
	return s, &asked
}

func TestRegistryVariable(t *testing.T) {
	for want, c := range map[string][2]string{"MY_SUN_API_KEY": {"my.sun", "--api-key"}, "MCP_3D_X": {"3d", "x"}} {
		if got := (&filler{name: c[0]}).own(c[1]); got != want {
			t.Errorf("%q: %s, want %s", c, got, want)
		}
	}
}

// stocked is an entry as the registry gives it.
func stocked(name, status, rest string) string {
	return fmt.Sprintf(`{"server":{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json","name":%q,"description":"Does things","repository":{"url":"https://github.com/x/y","source":"github"},"version":"1.2.3",%s},
 "_meta":{"io.modelcontextprotocol.registry/official":{"status":%q,"publishedAt":"2025-10-01T10:00:00.123456Z","updatedAt":"2025-10-01T10:00:00.123456Z","isLatest":true}}}`, name, rest, status)
}

const npmPart = `"packages":[{"registryType":"npm","registryBaseUrl":"https://registry.npmjs.org","identifier":"@x/weather","version":"1.2.3","runtimeHint":"evil","transport":{"type":"stdio"},
 "runtimeArguments":[{"type":"positional","value":"-y"}],
 "packageArguments":[{"type":"named","name":"--mode","value":"fast"},{"type":"positional","valueHint":"folder","description":"Where to look","isRequired":true},{"type":"named","name":"--color"}],
 "environmentVariables":[{"name":"WEATHER_KEY","description":"Your key","isRequired":true,"isSecret":true},{"name":"UNITS","default":"metric"},{"name":"DEBUG"}]}]`

func TestRegistrySearch(t *testing.T) {
	s, asked := shelf(t, stocked("io.github.x/weather", "active", npmPart), stocked("io.github.x/weather-old", "deprecated", `"remotes":[{"type":"sse","url":"https://x.example/sse"}]`),
		stocked("io.github.x/weather-gone", "deleted", npmPart), strings.Replace(stocked("io.github.x/weather-2", "active", npmPart), `"isLatest":true`, `"isLatest":false`, 1))
	found, _, err := Catalogue{Base: s.URL + "/"}.Search(t.Context(), "weather & sun")
	if err != nil || len(found) != 0 || (*asked)[0] != "/v0.1/servers?limit=50&search=weather+%26+sun&version=latest" {
		t.Errorf("%v, %v, asked %q", found, err, *asked)
	}
	found, more, err := Catalogue{Base: s.URL}.Search(t.Context(), "weather")
	if err != nil || !more {
		t.Fatalf("more %v, %v", more, err)
	}
	var got []string
	for _, e := range found {
		got = append(got, fmt.Sprint(e.Name, e.Version, e.Status, e.Description, e.Repository.URL, e.Ways()))
	}
	want := []string{"io.github.x/weather1.2.3activeDoes thingshttps://github.com/x/y[npm]", "io.github.x/weather-old1.2.3deprecatedDoes thingshttps://github.com/x/y[sse]"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found %q", got)
	}
	if e, err := (Catalogue{Base: s.URL + "/v0.1"}).Get(t.Context(), "io.github.x/weather"); err != nil || e.ShortName() != "weather" || !strings.Contains((*asked)[2], "/v0.1/servers/io.github.x%2Fweather/versions/latest") {
		t.Errorf("%+v, %v, asked %q", e, err, *asked)
	}
	for name, want := range map[string]string{"io.github.x/no": "knows no server", "io.github.x/weather-gone": "was deleted"} {
		if _, err := (Catalogue{Base: s.URL}).Get(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRegistryThatFails(t *testing.T) {
	for want, answer := range map[string]func(w http.ResponseWriter){
		"it answers HTTP 503":              func(w http.ResponseWriter) { w.WriteHeader(503) },
		"its answer is none of a registry": func(w http.ResponseWriter) { io.WriteString(w, "<html>hello") },
		"longer than 8 MB":                 func(w http.ResponseWriter) { io.WriteString(w, strings.Repeat(" ", registryMax+1)) },
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
		if _, _, err := (Catalogue{Base: s.URL}).Search(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "ask the MCP registry 127.0.0.1") {
			t.Errorf("%s: %v", want, err)
		}
		s.Close()
	}
	if _, _, err := (Catalogue{Base: "file:///etc"}).Search(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "is no address") {
		t.Errorf("got %v", err)
	}
}

func TestRegistryConfig(t *testing.T) {
	remote := func(rest string) string { return `"remotes":[{"type":"streamable-http",` + rest + `}]` }
	pack := func(kind, id, rest string) string {
		return fmt.Sprintf(`"packages":[{"registryType":%q,"identifier":%q,"version":"2.0","transport":{"type":"stdio"}%s}]`, kind, id, rest)
	}
	for _, c := range []struct {
		entry, kind, words string
		want, notes        string // of the line, the environment and the headers; or an error
	}{
		{npmPart, "", "", "npx -y @x/weather@1.2.3 --mode fast ${W_FOLDER} map[UNITS:metric WEATHER_KEY:${WEATHER_KEY}] map[]", "WEATHER_KEY: Your key|W_FOLDER: Where to look"},
		{npmPart, "stdio", "here there", "npx -y @x/weather@1.2.3 --mode fast here there map[UNITS:metric WEATHER_KEY:${WEATHER_KEY}] map[]", "WEATHER_KEY: Your key"},
		{npmPart + "," + remote(`"url":"https://x.example/mcp"`), "http", "", "https://x.example/mcp map[] map[]", ""},
		{pack("pypi", "weather-mcp", ""), "", "", "uvx weather-mcp@2.0 map[] map[]", ""},
		{pack("oci", "ghcr.io/x/y:2.0", `,"environmentVariables":[{"name":"A","value":"1"}],"runtimeArguments":[{"type":"named","name":"-v","value":"{dir}:/d","variables":{"dir":{"isRequired":true}}}]`), "", "",
			"docker run -i --rm -e A -v ${W_DIR}:/d ghcr.io/x/y:2.0 map[A:1] map[]", "W_DIR"},
		{pack("nuget", "X.Y", `,"packageArguments":[{"type":"positional","value":"mcp"}]`), "", "", "dnx X.Y@2.0 --yes -- mcp map[] map[]", ""},
		// What is sent away must not be a variable that another's key is in.
		{remote(`"url":"https://{host}/mcp","variables":{"host":{"default":"eu.example"}},"headers":[{"name":"Authorization","value":"Bearer {OPENAI_API_KEY}","variables":{"OPENAI_API_KEY":{"isRequired":true}}},{"name":"X-Opt"}]`), "", "",
			"https://eu.example/mcp map[] map[Authorization:Bearer ${W_OPENAI_API_KEY}]", "W_OPENAI_API_KEY"},
		{remote(`"url":"https://x.example/${OPENAI_API_KEY}"`), "", "", "error: refers to your environment", ""},
		{remote(`"url":"https://x.example/{a}{b}","variables":{"a":{"value":"$"},"b":{"value":"{OPENAI_API_KEY}"}}`), "", "", "error: refers to your environment", ""},
		{pack("npm", "x", `,"packageArguments":[{"type":"named","name":"--${HOME}","value":"1"}]`), "", "", "error: refers to your environment", ""},
		{pack("npm", "--registry=http://evil.example", ""), "", "", "error: no name of a package", ""},
		{pack("npm", "x", `,"environmentVariables":[{"name":"A B","value":"1"}]`), "", "", "error: no name of a variable", ""},
		{pack("npm", "x", `,"registryBaseUrl":"https://evil.example"`), "", "", "error: comes as npm only", ""},
		{pack("mcpb", "https://x.example/y.mcpb", ""), "", "", "error: comes as mcpb only", ""},
		{remote(`"url":"https://x.example/mcp"`), "", "a", "error: takes no arguments", ""},
		{`"title":"none"`, "", "", "error: does not say how", ""},
	} {
		var a answered
		if err := json.Unmarshal([]byte(stocked("io.github.x/w", "active", c.entry)), &a); err != nil {
			t.Fatalf("%s: %v", c.entry, err)
		}
		cfg, notes, err := a.entry().Config("w", c.kind, strings.Fields(c.words))
		got := strings.Join(append([]string{cfg.Command}, cfg.Args...), " ")
		if cfg.URL != "" {
			got = cfg.URL
		}
		got += fmt.Sprint(" ", cfg.Env, " ", cfg.Headers)
		if want, bad := strings.CutPrefix(c.want, "error: "); bad {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s\n gives %s, %v\n want %s", c.entry, got, err, want)
			}
		} else if err != nil || got != c.want || strings.Join(notes, "|") != c.notes {
			t.Errorf("%s\n gives %s, %q, %v\n want  %s", c.entry, got, notes, err, c.want)
		}
	}
}
