# SPDX-License-Identifier: Apache-2.0

# Memory does not grow with the number of pages. make soak does the same with real pages and faults.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use List::Util qw(sum);

my $SOAK = 2_000;
my $BOUND = 16 << 20;
plan skip_all => 'a sanitizer or valgrind keeps freed memory' if $ENV{TMPL_TEST_PRELOAD} || $ENV{TMPL_TEST_WRAP};
plan skip_all => 'no /proc' if !-e "/proc/$$/status";

my $site = site();
my $backend = backend { $site->answer(@_) };
my $httpd = proxy($backend, conf => "TmplMode strip\n" . Test::Tmpl::Httpd::one_child());
my $client = $httpd->client;

# Anonymous memory of the server's children, in bytes; without the store's file, which is mapped.
sub memory { return sum(map { memory_of($_, 'RssAnon') } children($httpd->{pid})) }

# Requests that many pages; returns the number of wrong responses.
sub crawl {
    my ($count) = @_;
    my $wrong = 0;
    for my $i (1 .. $count) {
        my $n = 1 + $i % 40;
        my $res = $client->get("/page/$n");
        $client->connect if !$res->complete;
        $wrong += $res->body ne $site->stripped($n);
    }
    return $wrong;
}

$httpd->visit(1 .. 6);
crawl(400);
my $before = memory();
cmp_ok $before, '>', 1 << 20, 'memory is seen';
is crawl($SOAK), 0, "$SOAK pages are right";
my $growth = memory() - $before;
diag sprintf '%d pages: %.1f MB before, %.2f MB more after', $SOAK, $before / 1e6, $growth / 1e6;
cmp_ok $growth, '<', $BOUND, 'memory has not grown with the number of pages';

$httpd->finish;
done_testing;
