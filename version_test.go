package main

import "testing"

func TestPlainVersion(t *testing.T) {
	for v, want := range map[string]string{
		"v1.2.3": "v1.2.3", "v1.2.3-rc.1": "v1.2.3-rc.1", "(devel)": "(devel)",
		"v0.0.0-20261130011228-49da4adf2033":        "(devel) 49da4ad",
		"v0.0.0-20261130011228-49da4adf2033+dirty":  "(devel) 49da4ad+dirty",
		"v1.2.4-0.20261130011228-49da4adf2033":      "(devel) 49da4ad",
		"v1.2.4-rc.1.0.20261130011228-49da4adf2033": "(devel) 49da4ad",
	} {
		if got := plainVersion(v); got != want {
			t.Errorf("%s is shown as %s, not %s", v, got, want)
		}
	}
}
