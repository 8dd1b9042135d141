package linear

import (
	"reflect"
	"testing"

	"forge/tools"
)

// A line of numbers is a choice, any other is words; what is neither is asked again.
func TestRespond(t *testing.T) {
	options := []tools.Alternative{{Label: "a"}, {Label: "b"}, {Label: "c"}}
	for _, c := range []struct {
		line string
		many bool
		want tools.Response
		ok   bool
	}{
		{"2", false, tools.Response{Chosen: []int{1}}, true},
		{"3 1", true, tools.Response{Chosen: []int{0, 2}}, true},
		{"3，1、2, 2", true, tools.Response{Chosen: []int{0, 1, 2}}, true},
		{"3 1", false, tools.Response{}, false},
		{"4", false, tools.Response{}, false},
		{"0", true, tools.Response{}, false},
		{"，,", true, tools.Response{}, false},
		{"2 of them", true, tools.Response{Words: "2 of them"}, true},
		{"8080", false, tools.Response{}, false},
		{`"8080"`, false, tools.Response{Words: "8080"}, true},
		{"“1，2”", true, tools.Response{Words: "1，2"}, true},
		{`"both" of them`, true, tools.Response{Words: `"both" of them`}, true},
		{"都不要", false, tools.Response{Words: "都不要"}, true},
	} {
		got, wrong := respond(tools.Topic{Options: options, Many: c.many}, c.line)
		if !reflect.DeepEqual(got, c.want) || (wrong == "") != c.ok {
			t.Errorf("%q: %+v, %q", c.line, got, wrong)
		}
	}
}
