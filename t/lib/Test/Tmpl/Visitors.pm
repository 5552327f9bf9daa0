# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Visitors;

# Clients, each in a process of its own, that request pages of several sites until finish() ends them. A
# response is right if it is the unchanged page, or the page without its template.

use strict;
use warnings;

use Test::Tmpl::Process qw(spawn alive wait_for temp_dir slurp spit);
use Time::HiRes qw(clock_gettime sleep CLOCK_MONOTONIC);

sub now { return clock_gettime(CLOCK_MONOTONIC) }

# httpd => the server; site => the fixture site; hosts => names of sites; clients => 3
sub start {
    my ($class, %args) = @_;
    my $self = bless { %args, dir => temp_dir(), began => now() }, $class;
    $self->{pids} = [map { my $number = $_; spawn('visitor', sub { $self->visit($number) }) } 0 .. ($args{clients} // 3) - 1];
    return $self;
}

# Writes a line for each response: the time when its request began, the site, 1 if the response is wrong, 1 if it
# broke off (then it is wrong, too), its state and its decline.
sub visit {
    my ($self, $number) = @_;
    open my $out, '>>', "$self->{dir}/$number" or die $!;
    my $client = $self->{httpd}->client;
    my @hosts = @{ $self->{hosts} };
    for (my $i = $number; !-e "$self->{dir}/end"; $i++) {
        my $n = 1 + $number * 100_000 + int $i / @hosts;
        my $host = $hosts[$i % @hosts];
        my $at = now();
        my $res = $client->get("/page/$n", headers => { Host => $host });
        my $wrong = $res->status != 200 || !$res->complete
            || $res->body ne $self->{site}->page($n) && $res->body ne $self->{site}->stripped($n);
        syswrite $out, join(' ', sprintf('%.6f', $at), $host, $wrong ? 1 : 0, $res->complete ? 0 : 1, map { $_ eq '' ? '-' : $_ } map { $res->says($_) } qw(state declined)) . "\n";
        $client->connect if !$res->complete;
        sleep 0.005;    # the load is to last, not to be heavy
    }
    return;
}

# The responses so far: { at, host, wrong, broken, state, declined }.
sub answers {
    my ($self) = @_;
    return map {
        my ($at, @rest) = split / /;
        +{ at => $at, host => $rest[0], wrong => $rest[1], broken => $rest[2], state => $rest[3], declined => $rest[4] }
    } map { split /\n/, slurp($_) } glob "$self->{dir}/[0-9]*";
}

# Waits until each site has a response for which the condition holds and whose request began after this call.
# Returns how many seconds this took; undef if it did not happen.
sub wait_for_all {
    my ($self, $condition) = @_;
    my $start = now();
    my $sites = @{ $self->{hosts} };
    wait_for {
        my %good = map { $_->{host} => 1 } grep { $_->{at} > $start && $condition->($_) } $self->answers;
        keys %good == $sites;
    } or return undef;
    return now() - $start;
}

# Ends the clients; returns all responses.
sub finish {
    my ($self) = @_;
    spit("$self->{dir}/end", '');
    wait_for { !grep { alive($_) } @{ $self->{pids} } } or die "a client does not end\n";
    return $self->answers;
}

1;
