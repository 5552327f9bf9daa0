#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# conf/prometheus-alerts.yml: promtool accepts it, and finds that series of faults raise each alert and series of a
# proxy that is well raise none (alerts.yml beside this test). Each alert has a severity, says what to do, and names a
# section of the manual. t/operations/76-monitoring.t shows the alerts at a proxy in trouble.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
chdir $root or die "$root: $!";

sub slurp {
    my ($name) = @_;
    open my $f, '<', $name or BAIL_OUT("$name: $!");
    local $/;
    return scalar <$f>;
}

my $rules = slurp('conf/prometheus-alerts.yml');
my $tests = slurp('tests/project/alerts.yml');
my (undef, @alerts) = split /^ +- alert: /m, $rules;
cmp_ok(scalar @alerts, '>', 5, 'there are alerts');
for my $alert (@alerts) {
    my ($name) = $alert =~ /^(\w+)/;
    like($alert, qr/^ +severity: (?:critical|warning)$/m, "$name has a severity");
    like($alert, qr/^ +$_: \S/m, "and a $_") for qw(summary description);
    my ($file, $anchor) = $alert =~ /^ +runbook: ([\w\/.]+)#([\w-]+)$/m;
    like(slurp($file), qr/^#+ \Q$anchor\E$/mi, 'and a section of the manual');
    like($tests, qr/'ALERTS\{alertname="$name"/, 'a test raises it');
}

SKIP: {
    skip 'promtool is missing (package prometheus)', 2 if system('command -v promtool >/dev/null') != 0;
    my $said = qx(promtool check rules conf/prometheus-alerts.yml 2>&1);
    is($?, 0, 'promtool accepts the rules') or diag $said;
    $said = qx(promtool test rules tests/project/alerts.yml 2>&1);
    is($?, 0, 'and its unit tests pass') or diag $said;
}
done_testing;
