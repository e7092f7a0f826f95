#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# keys: what the verb writes, checked with openssl(1), and what it refuses.
. "$(dirname "$0")/lib.sh"
library=$2
need openssl

HOME=$tmp/home
export HOME
unset XDG_CONFIG_HOME
dir=$tmp/keys

mode() {
    stat -c %a "$1"
}

# Wrong use.
expect 2 "$ACH" keys
has "$err" "say what to do: init, host, renew, revoke, ls or check"
expect 2 "$ACH" keys make
has "$err" "'make' is not one of init, host, renew, revoke, ls and check"
expect 2 "$ACH" keys host --dir "$dir"
has "$err" "host takes the name of a host"
expect 2 "$ACH" keys init robots
expect 2 "$ACH" keys host --days 0 --dir "$dir" robot
has "$err" "a number from 1 to 36500"
expect 1 "$ACH" keys host --dir "$dir" robot
has "$err" "has no authority: make one with 'ach keys init'"
expect 1 "$ACH" keys ls --json --dir "$dir"
same "$out" ""

# The authority.
expect 1 "$ACH" keys init --name 'my robots' --dir "$dir"
has "$err" "'my robots' cannot be a name"
(umask 0; exec "$ACH" keys init --name robots --dir "$dir" >/dev/null) || fail "no authority"
same "$(mode "$dir") $(mode "$dir/ca") $(mode "$dir/ca/ca.key")" "700 700 600"
expect 1 "$ACH" keys init --dir "$dir"
has "$err" "has an authority already"
expect 0 "$ACH" keys ls --json --dir "$dir"
same "$out" "[]"
has "$(openssl x509 -in "$dir/ca/ca.pem" -noout -subject -ext basicConstraints)" "CA:TRUE, pathlen:0"

# Hosts.
(umask 0; exec "$ACH" keys host --dir "$dir" --days 5 robot1 >/dev/null) || fail "no host"
expect 0 "$ACH" keys host --dir "$dir" laptop
has "$out" "copy the directory $dir/hosts/laptop to that host"
same "$(cd "$dir/hosts/robot1" && echo *)" "ca.pem crl.pem host.key host.pem"
same "$(mode "$dir/hosts/robot1") $(mode "$dir/hosts/robot1/host.key")" "700 600"
host=$dir/hosts/robot1
expect 0 openssl verify -x509_strict -crl_check -CAfile "$host/ca.pem" -CRLfile "$host/crl.pem" \
    -purpose sslserver -verify_hostname robot1 "$host/host.pem"
expect 0 openssl verify -crl_check -CAfile "$host/ca.pem" -CRLfile "$host/crl.pem" \
    -purpose sslclient "$host/host.pem"
expect 1 openssl x509 -in "$host/host.pem" -noout -checkend $((6 * 86400))
expect 0 openssl x509 -in "$host/host.pem" -noout -checkend $((4 * 86400))
same "$(openssl pkey -in "$host/host.key" -pubout)" \
    "$(openssl x509 -in "$host/host.pem" -noout -pubkey)"
before=$(cat "$host/host.key")
expect 1 "$ACH" keys host --dir "$dir" robot1
has "$err" "'ach keys renew' replaces its keys, and so does --force"
same "$(cat "$host/host.key")" "$before"
for how in "" --force; do # case is ignored in names
    # shellcheck disable=SC2086
    expect 1 "$ACH" keys host $how --dir "$dir" ROBOT1
    has "$err" "hosts/robot1 exists, and names that differ only in case are the same"
done
same "$(cd "$dir/hosts" && echo *)" "laptop robot1"
expect 1 "$ACH" keys host --dir "$dir" ../robot2
has "$err" "'../robot2' cannot be a name"
expect 1 "$ACH" keys renew --dir "$dir" robot2
has "$err" "has no host robot2"

# What a host uses.
expect 0 "$ACH" keys check "$host"
has "$out" "name          robot1"
has "$err" "warning: the certificate expires in less than 30 days"
expect 0 "$ACH" keys check "$dir/hosts/laptop"
same "$err" ""
chmod 640 "$dir/hosts/laptop/host.key"
expect 1 "$ACH" keys check "$dir/hosts/laptop"
has "$err" "has mode 0640, so other users may use the key: run chmod 600"
chmod 600 "$dir/hosts/laptop/host.key"
cp "$host/host.key" "$dir/hosts/laptop/host.key"
expect 1 "$ACH" keys check "$dir/hosts/laptop"
has "$err" "host.key is not the key of host.pem"
expect 0 "$ACH" keys renew --dir "$dir" laptop
expect 0 "$ACH" keys check "$dir/hosts/laptop"

# Both certificates of laptop are revoked; a new one is valid.
expect 0 "$ACH" keys revoke --dir "$dir" laptop
has "$out" "  $dir/hosts/laptop/crl.pem"
has "$out" "  $dir/hosts/robot1/crl.pem"
expect 1 "$ACH" keys revoke --dir "$dir" laptop
same "$out" ""
expect 1 "$ACH" keys check "$dir/hosts/laptop"
has "$err" "the certificate of laptop is revoked"
expect 2 openssl verify -crl_check -CAfile "$host/ca.pem" -CRLfile "$host/crl.pem" \
    "$dir/hosts/laptop/host.pem"
has "$err" "certificate revoked"
expect 0 "$ACH" keys host --force --dir "$dir" laptop
expect 0 "$ACH" keys check "$dir/hosts/laptop"
expect 0 "$ACH" keys ls --dir "$dir"
same "$(echo "$out" | awk 'NR > 1 { print $1, $NF }' | sort | tr '\n' ';')" \
    "laptop revoked;laptop revoked;laptop valid;robot1 valid;"
expect 0 "$ACH" keys ls --json --dir "$dir"
same "$(json 'sorted(c["state"] for c in j)')" "['revoked', 'revoked', 'valid', 'valid']"
same "$(openssl crl -in "$host/crl.pem" -noout -crlnumber)" "crlNumber=0x02"

# A second authority makes the keys of the first useless to it.
expect 0 "$ACH" keys init --force --dir "$dir"
expect 0 "$ACH" keys host --force --dir "$dir" laptop
cp "$dir/hosts/laptop/ca.pem" "$dir/hosts/laptop/crl.pem" "$host"
expect 1 "$ACH" keys check "$host"
has "$err" "is not signed by an authority of ca.pem"
same "$(find "$dir" -name '.new-*')" ""

# Nobody has a directory of its own.
if can_be_nobody; then
    "$(dirname "$0")/../support/stage" "$tmp/stage" "$library"
    mv "$tmp/stage/${library##*/}" "$tmp/stage/libachtls.so.0"
    mkdir -m 777 "$tmp/home"
    expect 0 nobody keys init
    same "$(mode "$tmp/home/.config/ach/keys/ca/ca.key")" 600
    chown -R 0:0 "$tmp/home"
    expect 1 nobody keys ls
    has "$err" "Permission denied"
    expect 1 nobody keys check "$dir/hosts/laptop"
fi
finish
