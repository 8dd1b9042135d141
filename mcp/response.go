package mcp

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// answer is a response that carries frames.
func answer(r *http.Request, frames ...[]byte) *http.Response {
	if len(frames) == 1 {
		return response(r, http.StatusOK, "application/json", frames[0])
	}
	var b bytes.Buffer
	for _, f := range frames {
		writeEvent(&b, "", f)
	}
	return response(r, http.StatusOK, "text/event-stream", b.Bytes())
}

func accepted(r *http.Request) *http.Response { return response(r, http.StatusAccepted, "", nil) }

func response(r *http.Request, code int, kind string, body []byte) *http.Response {
	resp := &http.Response{StatusCode: code, Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r}
	if kind != "" {
		resp.Header.Set("Content-Type", kind)
	}
	return resp
}

func copySession(to, from *http.Response) {
	if id := from.Header.Get("Mcp-Session-Id"); id != "" {
		to.Header.Set("Mcp-Session-Id", id)
	}
}
