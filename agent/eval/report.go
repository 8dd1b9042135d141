package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"forge/sorting"
)

// CheckResult is one check and what came of it.
type CheckResult struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"` // what was there instead
}

// Result is how one task went. Input and Output are tokens, USD is nil where the price
// is not known.
type Result struct {
	Task      string        `json:"task"`
	Passed    bool          `json:"passed"`
	Skipped   bool          `json:"skipped,omitempty"`
	Checks    []CheckResult `json:"checks,omitempty"`
	ExitCode  int           `json:"exit_code"`
	Turns     int           `json:"turns"`
	Input     int           `json:"prompt_tokens"`
	Output    int           `json:"completion_tokens"`
	CacheRead int           `json:"cache_read_tokens"`
	USD       *float64      `json:"cost_usd"`
	Seconds   float64       `json:"seconds"`
	Provider  string        `json:"provider,omitempty"`
	Model     string        `json:"model,omitempty"`
	Text      string        `json:"text,omitempty"`
	Error     string        `json:"error,omitempty"`
	Folder    string        `json:"folder,omitempty"` // the copy, where it was kept
}

// Report is one run over tasks. Its sums leave out what was skipped; USD is nil where
// some price is not known.
type Report struct {
	Version int       `json:"version"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Models  []string  `json:"models"`
	Passed  int       `json:"passed"`
	Failed  int       `json:"failed"`
	Skipped int       `json:"skipped"`
	Turns   int       `json:"turns"`
	Input   int       `json:"prompt_tokens"`
	Output  int       `json:"completion_tokens"`
	USD     *float64  `json:"cost_usd"`
	Results []Result  `json:"results"`
}

// reportVersion is the format this code writes.
const reportVersion = 1

func newReport(began time.Time, results []Result) Report {
	r := Report{Version: reportVersion, Began: began.UTC().Truncate(time.Second), Seconds: time.Since(began).Round(time.Millisecond).Seconds(), Results: results}
	cost, known := 0.0, true
	for _, x := range results {
		switch {
		case x.Skipped:
			r.Skipped++
			continue
		case x.Passed:
			r.Passed++
		default:
			r.Failed++
		}
		r.Turns, r.Input, r.Output = r.Turns+x.Turns, r.Input+x.Input, r.Output+x.Output
		if x.USD != nil {
			cost += *x.USD
		} else if x.Turns > 0 {
			known = false
		}
		if m := strings.Trim(x.Provider+"/"+x.Model, "/"); m != "" && !slices.Contains(r.Models, m) {
			r.Models = append(r.Models, m)
		}
	}
	if known {
		r.USD = &cost
	}
	return r
}

// Write writes a report as JSON.
func (r Report) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// ReadReport reads what Write wrote.
func ReadReport(path string) (Report, error) {
	var r Report
	f, err := os.Open(path)
	if err != nil {
		return r, fmt.Errorf("read report: %w", err)
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, 256<<20)).Decode(&r); err != nil {
		return r, fmt.Errorf("read report %s: %w", path, err)
	}
	switch {
	case r.Version > reportVersion:
		return r, fmt.Errorf("read report %s: a newer forge wrote it", path)
	case r.Version < 1:
		return r, fmt.Errorf("read report %s: %w", path, errors.New("it is no report of forge eval"))
	}
	return r, nil
}

// Change is one task in two reports; nil where it was not run.
type Change struct {
	Task string
	A, B *Result
}

// Verdict is what became of a task from A to B: "fixed", "broken", "same", "new" or
// "gone".
func (c Change) Verdict() string {
	switch {
	case c.A == nil || c.A.Skipped && !(c.B != nil && c.B.Skipped):
		return "new"
	case c.B == nil || c.B.Skipped && !c.A.Skipped:
		return "gone"
	case c.A.Passed == c.B.Passed:
		return "same"
	case c.B.Passed:
		return "fixed"
	}
	return "broken"
}

// Compare sets two reports side by side, task by task, by name.
func Compare(a, b Report) []Change {
	var out []Change
	at := map[string]int{}
	for i := range a.Results {
		at[a.Results[i].Task] = len(out)
		out = append(out, Change{Task: a.Results[i].Task, A: &a.Results[i]})
	}
	for i := range b.Results {
		if n, ok := at[b.Results[i].Task]; ok {
			out[n].B = &b.Results[i]
			continue
		}
		out = append(out, Change{Task: b.Results[i].Task, B: &b.Results[i]})
	}
	sorting.By(out, func(x, y Change) int { return strings.Compare(x.Task, y.Task) })
	return out
}
