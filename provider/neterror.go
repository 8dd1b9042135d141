package provider

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// networkError puts a failed connection in words. target is the URL that was
// called, empty where it was reading that failed.
func networkError(err error, target string) *Error {
	e := &Error{Kind: KindNetwork, Err: err}
	host := hostOf(target)
	var (
		op       *net.OpError
		dns      *net.DNSError
		record   tls.RecordHeaderError
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		timeout  net.Error
	)
	text := err.Error()
	switch {
	case errors.As(err, &op) && op.Op == "proxyconnect":
		e.Code, e.Message = "proxy", "the proxy does not answer: "+rootCause(err)
		e.Hint = "check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
	case errors.As(err, &dns):
		e.Code, e.Message = "dns", "no such host: "+dns.Name
		e.Hint = "check the network and the base URL"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Code, e.Message = "refused", "connection refused by "+host
		e.Hint = "nothing listens there: start the server, or check the base URL"
		e.NoRetry = isLoopback(host) // a server on this machine does not come back by itself
	case errors.As(err, &record), strings.Contains(text, "server gave HTTP response to HTTPS client"):
		e.Code, e.Message = "tls", host+" speaks plain HTTP, not HTTPS"
		e.Hint, e.NoRetry = "write http:// in the base URL", true
	case errors.As(err, &unknown):
		e.Code, e.Message = "tls", "the certificate of "+host+" is signed by an unknown authority"
		e.Hint, e.NoRetry = "behind a company proxy set SSL_CERT_FILE to its certificate", true
	case errors.As(err, &hostname), errors.As(err, &invalid), errors.As(err, &verify):
		e.Code, e.Message = "tls", "the certificate of "+host+" is not valid: "+rootCause(err)
		e.Hint, e.NoRetry = "check the base URL and this machine's clock", true
	case strings.Contains(text, "unsupported protocol scheme"):
		return badURL(err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), strings.Contains(text, "server closed idle connection"):
		e.Code, e.Message = "reset", "the connection broke"
		e.Hint = "try again; if it keeps happening, a proxy or the server cuts long replies"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		e.Code, e.Message = "unreachable", host+" cannot be reached"
		e.Hint = "check the network"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Code, e.Message = "timeout", "no connection in time"
		e.Hint = "check the network, the proxy and the base URL"
	default:
		e.Message, e.Hint = "connection failed: "+rootCause(err), "check the network and the base URL"
	}
	e.Message = oneLine(Redact(e.Message))
	return e
}

func badURL(err error) *Error {
	return &Error{
		Kind: KindInvalid, Code: "url", Err: err, NoRetry: true,
		Message: "bad base URL: " + oneLine(Redact(rootCause(err))),
		Hint:    "write it with its scheme, like https://host/v1",
	}
}

// rootCause is the innermost error's text: the outer ones repeat method and URL.
func rootCause(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

func hostOf(target string) string {
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		return u.Host
	}
	return "the server"
}

func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}
