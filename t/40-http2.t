# SPDX-License-Identifier: Apache-2.0

# HTTP/2 in front: the same pages, many streams at a time on one connection.

use FindBin;
use lib "$FindBin::Bin/lib";
use Test::Tmpl;

plan skip_all => 'no mod_http2' if !Test::Tmpl::Httpd::has_module('http2');
plan skip_all => 'mod_http2 does not work under prefork' if Test::Tmpl::Httpd::mpm() eq 'prefork';
plan skip_all => 'curl has no HTTP/2' if (qx{curl --version 2>/dev/null} // '') !~ /\bHTTP2\b/;

my $site = site();
my $backend = backend { $site->answer(@_) };
my $httpd = proxy($backend, modules => ['http2'], conf => "TmplMode strip\nProtocols h2c http/1.1\n");
$httpd->visit(1 .. 6);

my $dir = temp_dir();
my $base = 'http://127.0.0.1:' . $httpd->port . '/page';
my $said = qx{curl -s --noproxy '*' --max-time 30 --http2-prior-knowledge -Z --parallel-max 20 -w '%{http_version} %{http_code}\\n' "$base/[7-36]" -o "$dir/#1"};
is scalar(() = $said =~ /^2 200$/mg), 30, 'thirty answers over HTTP/2' or diag $said;
my @wrong = grep { !-e "$dir/$_" || slurp("$dir/$_") ne $site->stripped($_) } 7 .. 36;
is_deeply \@wrong, [], 'all of them stripped';

my $head = qx{curl -s --noproxy '*' --max-time 30 --http2-prior-knowledge -I "$base/7"};
like $head, qr{^HTTP/2 200}, 'HEAD over HTTP/2';
my $part = qx{curl -s --noproxy '*' --max-time 30 --http2-prior-knowledge -r 10-19 "$base/7"};
ok $part eq substr($site->stripped(7), 10, 10) || $part eq $site->stripped(7), 'a range of the stripped page';

$httpd->finish;
done_testing;
