# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Faults;

# Real pages through a real httpd whose store fails: a few pages in t/faults/57-faults-pages.t, the pages
# of a corpus with `make faults`.
#
# Each page is a site of its own (TmplSiteKey is its URL). So it is always the first page of its
# site, whether or not the store answers, and the expected body is the output of tmplctl for the page
# without a store. A page that is declined must be unchanged.

use strict;
use warnings;

use File::Basename qw(basename dirname);
use Test::Tmpl::Backend;
use Test::Tmpl::Httpd;
use Test::Tmpl::Process qw(spawn free_port temp_dir slurp);
use Test::Tmpl::Redis;

our @DETECTORS = qw(auto incremental);

my $LATE = 300;    # ms; TmplTimeout is 100

my $WELL = 100;    # at most that many pages before the store fails

# name; store => its URI, or code that makes the URI of the fault it is given; spoil => code that changes
# the store's directory before the server starts; break => code that breaks the store after some pages,
# given the store's directory and the fault; answers => 1: the store may still answer within TmplTimeout;
# redis => 1: needs a redis-server.
our @FAULTS = (
    { name => 'Redis: nobody listens', store => sub { 'redis://127.0.0.1:' . free_port() } },
    { name => 'Redis: killed', redis => 1, store => sub { $_[0]{redis}->uri }, break => sub { $_[1]{redis}->kill9 } },
    { name => 'Redis: stopped', redis => 1, store => sub { $_[0]{redis}->uri }, break => sub { $_[1]{redis}->stop } },
    { name => "Redis: $LATE ms late", redis => 1, answers => 1,
        store => sub { 'redis://127.0.0.1:' . Test::Tmpl::Redis::late($_[0]{redis}->port, $LATE) . '/0' } },
    { name => 'LMDB: no such directory', store => sub { 'lmdb:@ROOT@/store/no/such' } },
    { name => 'LMDB: not to be written', store => sub { 'lmdb:@ROOT@/store' },
        spoil => sub { chown 0, 0, $_[0] if $> == 0; chmod 0555, $_[0] } },
);

# Whether the programs that the fault needs are installed.
sub possible { return !$_[0]{redis} || Test::Tmpl::Redis::available() }

# files => names of pages; connections => how many requests at once
sub new {
    my ($class, %args) = @_;
    my $dir = temp_dir();
    mkdir "$dir/$_" or die "$dir/$_: $!" for @DETECTORS;
    my @files = @{ $args{files} };
    my $self = bless { dir => $dir, files => \@files, connections => $args{connections} // 4 }, $class;
    $self->{tool} = $ENV{TMPLCTL} // dirname($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') . '/tmplctl';
    -x $self->{tool} or die "$self->{tool} is not built\n";
    $self->{backend} = Test::Tmpl::Backend->new(sub {
        my ($connection, $request) = @_;
        my ($n) = $request->{target} =~ m{(\d+)$};
        return $connection->respond(200, { 'Content-Type' => 'text/html' }, slurp($files[$n]));
    });
    return $self;
}

# The output of tmplctl for page n. It runs once for each page: only one client requests the page.
sub alone {
    my ($self, $detector, $n) = @_;
    my $out = "$self->{dir}/$detector/$n";
    if (!-d $out) {
        my @command = ($self->{tool}, qw(clean --mode strip --site alone --detector), $detector, '--out', $out, $self->{files}[$n]);
        open my $said, '-|', @command or die "$self->{tool}: $!\n";
        my $summary = join '', <$said>;
        close $said or die "tmplctl ends with $? for $self->{files}[$n]\n$summary";
    }
    return slurp("$out/" . basename($self->{files}[$n]));
}

# What is wrong with a response; undef if it is right.
sub fault_of {
    my ($self, $res, $n, $detector, $fault) = @_;
    return "status $res->{status}, " . ($res->error // 'whole') if $res->status != 200 || !$res->complete;
    my $declined = $res->says('declined');
    if ($declined ne '') {
        return 'auto says declined=store' if $declined eq 'store' && $detector eq 'auto';
        return $res->body eq slurp($self->{files}[$n]) ? undef : "declined=$declined, and other bytes";
    }
    return 'Tmpl: ' . ($res->header('Tmpl') // 'none')
        if !$fault->{answers} && ($detector ne 'auto' || $res->says('store') ne '0');
    return $res->body eq $self->alone($detector, $n) ? undef : 'other bytes than tmplctl has';
}

# One client: of the first $pages pages it requests page $client and every connections-th page after it,
# at /prefix/number. Writes a line for each response: whether the page was changed, its decline (or -),
# whether the response says that the store has failed, the fault (or nothing).
sub ask {
    my ($self, $httpd, $client, $prefix, $pages, @how) = @_;
    my $lines = $self->lines_of($client);
    open my $out, '>', $lines or die "$lines: $!";
    my $connection = $httpd->client;
    for (my $n = $client; $n < $pages; $n += $self->{connections}) {
        my $res = $connection->get("/$prefix/$n");
        my $wrong = $self->fault_of($res, $n, @how);
        my $edited = $res->complete && $res->body ne slurp($self->{files}[$n]);
        my $declined = $res->says('declined') || '-';
        my $failed = $declined eq 'store' || $res->says('store') eq '0';
        syswrite $out, sprintf "%d %s %d %s\n", $edited, $declined, $failed, defined $wrong ? "$self->{files}[$n]: $wrong" : '';
        $connection->connect if !$res->complete;
    }
    return;
}

sub lines_of { return "$_[0]{dir}/answers.$_[1]" }

# Runs all clients; returns their lines, each as a list of its columns.
sub answers {
    my ($self, $httpd, @what) = @_;
    my @clients = 0 .. $self->{connections} - 1;
    my @pids = map {
        my $client = $_;
        spawn('client', sub { $self->ask($httpd, $client, @what) });
    } @clients;
    # each request has its own time limit
    waitpid $_, 0 for @pids;
    return map { [split / /, $_, 4] } map { split /\n/, slurp($self->lines_of($_)) } @clients;
}

sub server {
    my ($self, $detector, $fault) = @_;
    $fault->{redis} = Test::Tmpl::Redis->new if $fault->{redis};
    my $store = $fault->{store}->($fault);
    my $httpd = Test::Tmpl::Httpd->new(bare => 1, log_level => 'info', detector => $detector, conf => <<"END");
ProxyPass / ${\ $self->{backend}->url}/
TmplMode strip
TmplStore $store
TmplTimeout 100ms
TmplSiteKey "%{REQUEST_URI}"
END
    $fault->{spoil}->($httpd->root . '/store') if $fault->{spoil};
    $httpd->expect_log(qr/\[tmpl:(?:warn|error)\]/);
    return $httpd->start;
}

# Requests all pages with a detector and a fault. Returns tried, edited, declined (reason => pages),
# wrong (a line for each wrong response, also before the store failed), log (unexpected lines),
# failures (responses that say that the store failed), exits (signal that ended a child => how often).
sub run {
    my ($self, $detector, $of) = @_;
    my %fault = %$of;
    my $httpd = $self->server($detector, \%fault);
    my $all = @{ $self->{files} };
    my @before;
    if ($fault{break}) {
        @before = $self->answers($httpd, 'well', $all < $WELL ? $all : $WELL, $detector, { answers => 1 });
        $fault{break}->($httpd->root . '/store', \%fault);
    }
    my @answers = $self->answers($httpd, 'page', $all, $detector, \%fault);
    $fault{redis}->kill9 if $fault{redis};
    $httpd->stop;
    my %result = (tried => scalar @answers, edited => 0, declined => {}, failures => 0, exits => {}, log => [$httpd->unexpected_lines]);
    $result{wrong} = [grep { $_ ne '' } map { $_->[3] } @before, @answers];
    push @{ $result{wrong} }, 'no answer to ' . ($all - @answers) . ' requests' if @answers < $all;
    for (@answers) {
        $result{edited} += $_->[0];
        $result{declined}{ $_->[1] }++ if $_->[1] ne '-';
        $result{failures} += $_->[2];
    }
    $result{exits}{$_}++ for $httpd->log_text =~ /exit signal ([^,\n]+\(\d+\))/g;
    return \%result;
}

1;
