/**
 * Functions that check a message, in the languages of receivers. They need nothing but the language itself, except for
 * the one that uses our client. A test runs those whose language is installed.
 */
export const languages = ['node', 'python', 'go', 'php', 'csharp'] as const;
export type Language = (typeof languages)[number];

const node = `import { verifyWebhook } from '@berth/client/webhook';

// Throws when the signature is wrong or the message is older than 5 minutes.
export const receive = (body, headers) =>
  verifyWebhook(body, headers, process.env.WEBHOOK_SECRET);
`;

const python = `import base64, hashlib, hmac, json, os, time

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))


def receive(body: bytes, headers) -> dict:
    """Raises an error when the signature is wrong or the message is older than 5 minutes."""
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("the message is too old")
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(KEY, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # Two signatures come while the secret is being rotated.
    signatures = headers["webhook-signature"].encode().split()
    if not any(hmac.compare_digest(expected, one) for one in signatures):
        raise ValueError("the signature is wrong")
    return json.loads(body)
`;

const go = `package berth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Verify returns an error when the signature is wrong or the message is older than 5 minutes.
func Verify(body []byte, header http.Header, secret string) error {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return errors.New("the message is too old")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", header.Get("webhook-id"), timestamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// Two signatures come while the secret is being rotated.
	for _, one := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(one), []byte(expected)) {
			return nil
		}
	}
	return errors.New("the signature is wrong")
}
`;

const php = `<?php

/** Throws when the signature is wrong or the message is older than 5 minutes. */
function receive(string $body, array $headers, string $secret): array
{
    $headers = array_change_key_case($headers);
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (abs(time() - (int) $timestamp) > 300) {
        throw new RuntimeException('the message is too old');
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $digest = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    $expected = 'v1,' . base64_encode($digest);
    // Two signatures come while the secret is being rotated.
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $one) {
        if (hash_equals($expected, $one)) {
            return json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('the signature is wrong');
}

// receive(file_get_contents('php://input'), getallheaders(), getenv('WEBHOOK_SECRET'));
`;

const csharp = `using System;
using System.Security.Cryptography;
using System.Text;

static class Berth
{
    /// <summary>False when the signature is wrong or the message is older than 5 minutes.</summary>
    /// <param name="header">The value of a header, or null.</param>
    public static bool IsGenuine(string body, Func<string, string> header, string secret)
    {
        var id = header("webhook-id");
        var timestamp = header("webhook-timestamp");
        if (!long.TryParse(timestamp, out var seconds)) return false;
        var now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        if (seconds < now - 300 || seconds > now + 300) return false;
        var key = Convert.FromBase64String(secret.Substring("whsec_".Length));
        var signed = Encoding.UTF8.GetBytes($"{id}.{timestamp}.{body}");
        byte[] digest;
        using (var hmac = new HMACSHA256(key)) digest = hmac.ComputeHash(signed);
        var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(digest));
        // Two signatures come while the secret is being rotated.
        foreach (var one in (header("webhook-signature") ?? "").Split(' '))
            if (CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(one), expected)) return true;
        return false;
    }
}
`;

export const snippets: Record<Language, { name: string; code: string }> = {
  node: { name: 'Node.js', code: node },
  python: { name: 'Python', code: python },
  go: { name: 'Go', code: go },
  php: { name: 'PHP', code: php },
  csharp: { name: 'C#', code: csharp },
};
