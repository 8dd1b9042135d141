package main

import (
	"runtime/debug"

	"forge/lazy"
)

// release is set by a release build: -ldflags "-X main.release=v1.2.3".
var release string

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return plainVersion(info.Main.Version)
	}
	return "(devel)"
}

// plainVersion is a version for eyes: of one made up from a commit nobody has
// tagged, which commit.
func plainVersion(v string) string {
	if m := untagged.Get().FindStringSubmatch(v); m != nil {
		return "(devel) " + m[1] + m[2]
	}
	return v
}

var untagged = lazy.Regexp{Expr: `^v[0-9.]+-(?:[0-9a-z.]*\.)?\d{14}-([0-9a-f]{7})[0-9a-f]{5}(\+dirty)?$`}
