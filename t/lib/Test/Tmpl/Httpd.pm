# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Httpd;

# A real httpd with its own ServerRoot, in the foreground, as a child of the test.
#
# Environment: TMPL_MODULE (default build/mod_tmpl.so), TMPL_TEST_MPM (event, worker, prefork),
# TMPL_TEST_PRELOAD (LD_PRELOAD of httpd, for sanitizers), TMPL_TEST_HTTPD, TMPL_TEST_MODULES
# (directory of httpd's own modules), TMPL_TEST_WRAP (a command in front of httpd: valgrind),
# TMPL_TEST_CORE (a directory for core files that the server's user can write to).
#
# finish() fails the test for every unexpected line of the error log at warn or above, every report
# of a sanitizer or of valgrind, every child that a signal ended, and every line of the access log that is
# not of the LogFormat of conf/mod_tmpl.conf. expect_log() names lines that are expected.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use JSON::PP;
use Scalar::Util qw(weaken);
use Test::More ();
use Test::Tmpl::Client;
use Test::Tmpl::Process
    qw(spawn end_process alive children wait_for free_port temp_dir slurp spit give_to_server server_user);

my $top = abs_path(dirname(__FILE__) . '/../../../..');
my $httpd = $ENV{TMPL_TEST_HTTPD} // (grep { -x } qw(/usr/sbin/apache2 /usr/sbin/httpd))[0];
my $module_dir = $ENV{TMPL_TEST_MODULES} // '/usr/lib/apache2/modules';
my $module = $ENV{TMPL_MODULE} // "$top/build/mod_tmpl.so";
$module = abs_path($module) // $module;
my $mpm = $ENV{TMPL_TEST_MPM} // 'event';
# as operators have it
my ($log_format) = slurp("$top/conf/mod_tmpl.conf") =~ /^\s*LogFormat "(.*)" tmpl$/m or die "conf/mod_tmpl.conf has no LogFormat\n";

# Enough children for several generations: after a graceful restart a busy machine is slow to end the old
# generations.
my %MPM = (
    event => "StartServers 2\nThreadsPerChild 8\nThreadLimit 8\nMaxRequestWorkers 64\n"
        . "MinSpareThreads 1\nMaxSpareThreads 64\nServerLimit 16\n",
    prefork => "StartServers 4\nMinSpareServers 1\nMaxSpareServers 32\nMaxRequestWorkers 32\nServerLimit 32\n",
);
$MPM{worker} = $MPM{event};

my @MODULES = qw(authz_core authz_host alias mime dir env setenvif headers status filter deflate proxy proxy_http);

sub mpm { return $mpm }

# Directives for one child. While it is busy, or begins or ends, httpd says that it has no other one.
my $NO_OTHER = qr/reached MaxRequestWorkers|within MinSpareThreads of MaxRequestWorkers|scoreboard is full/;
sub one_child { return "StartServers 1\nServerLimit 1\nMaxRequestWorkers " . ($mpm eq 'prefork' ? 1 : 8) . "\n" }

# Whether httpd has a module of that name.
sub has_module { return -e "$module_dir/mod_$_[0].so" }

# Options: conf => configuration of the server; modules => more modules of httpd to load; env => { }
# of httpd; ulimit => of the shell that starts httpd, as '-n 60'; log_level => of
# mod_tmpl (debug); mpm => in place of TMPL_TEST_MPM; no_store => 1: no TmplStore of its own; detector => TmplDetector, else the default. (The
# verdicts of incremental are easy to predict in a test.) first => 1: mod_tmpl is loaded before the
# other modules. bare => 1: only conf. Without bare, conf comes after a store in DIR/store, timeouts that
# even a busy machine does not reach, and learning within the request, so that each page sees the pages
# before it.
sub new {
    my ($class, %args) = @_;
    -e $module or die "$module is not built\n";
    my $dir = temp_dir();
    my $self = bless {
        dir => $dir, root => "$dir", port => free_port(), expected => [($args{conf} // '') =~ /^ServerLimit 1$/m ? $NO_OTHER : ()], clients => [],
        args => \%args, conf => $args{conf} // '', mpm => $args{mpm} // $mpm, log => "$dir/error.log", out => "$dir/output",
    }, $class;
    mkdir "$dir/$_" or die "$dir/$_: $!" for qw(htdocs run store cache);
    give_to_server("$dir/$_") for qw(store cache run);
    spit($self->{out}, '');
    spit("$dir/mime.types", "text/html html htm shtml\ntext/plain txt\n");
    return $self;
}

sub port { return $_[0]{port} }
sub root { return $_[0]{root} }

sub conf_text {
    my ($self) = @_;
    my $dir = $self->{root};
    my @modules = (@MODULES, @{ $self->{args}{modules} // [] });
    push @modules, 'socache_shmcb' if !$self->{args}{bare} && has_module('socache_shmcb') && !grep { $_ eq 'socache_shmcb' } @modules;
    my $user = server_user();
    my $level = $self->{args}{log_level} // 'debug';
    my $text = <<"END";
ServerRoot "$dir"
ServerName test.example
PidFile "$dir/run/httpd.pid"
DefaultRuntimeDir "$dir/run"
Listen 127.0.0.1:$self->{port}
ErrorLog "$dir/error.log"
CustomLog "$dir/shipped.log" "$log_format"
DocumentRoot "$dir/htdocs"
LoadModule mpm_$self->{mpm}_module "$module_dir/mod_mpm_$self->{mpm}.so"
$MPM{$self->{mpm}}GracefulShutdownTimeout 0
KeepAliveTimeout 30
MaxKeepAliveRequests 0
END
    $text .= "CoreDumpDirectory \"$ENV{TMPL_TEST_CORE}\"\n" if defined $ENV{TMPL_TEST_CORE};
    $text .= "User $user\nGroup $user\n" if defined $user && defined getgrnam $user;
    my $others = join '', map { "LoadModule ${_}_module \"$module_dir/mod_$_.so\"\n" } @modules;
    my $own = "LoadModule tmpl_module \"$module\"\n";
    $text .= $self->{args}{first} ? "$own$others" : "$others$own";
    $text .= "TypesConfig \"$dir/mime.types\"\nLogLevel warn mpm_$self->{mpm}:notice core:notice tmpl:$level\n";
    $text .= "TmplTimeout 10s\nTmplMaxWait 10min\nTmplLearnDelay 0\n" if !$self->{args}{bare};
    $text .= "TmplDetector $self->{args}{detector}\n" if defined $self->{args}{detector};
    # a second TmplStore would replace the first, and httpd would warn of it
    my $no_store = $self->{args}{no_store} || $self->{conf} =~ /^TmplStore /m;
    $text .= "TmplStore lmdb:$dir/store\n" if !$self->{args}{bare} && !$no_store;
    my $conf = $self->{conf} =~ s/\@ROOT\@/$dir/gr =~ s/\@PORT\@/$self->{port}/gr;
    return "$text$conf\n";
}

sub command {
    my ($self, @arguments) = @_;
    my $file = spit("$self->{root}/httpd.conf", $self->conf_text);
    return (split(' ', $ENV{TMPL_TEST_WRAP} // ''), $httpd, '-f', $file, @arguments);
}

# Runs in the child that becomes httpd.
sub exec_httpd {
    my ($self, @command) = @_;
    open STDIN, '<', '/dev/null';
    open STDOUT, '>>', $self->{out};
    open STDERR, '>&', \*STDOUT;
    $ENV{LD_PRELOAD} = $ENV{TMPL_TEST_PRELOAD} if defined $ENV{TMPL_TEST_PRELOAD};
    %ENV = (%ENV, %{ $self->{args}{env} // {} });
    my $limit = $self->{args}{ulimit};
    @command = ('/bin/sh', '-c', "ulimit $limit && exec \"\$@\"", 'sh', @command) if $limit;
    exec @command or die "$command[0]: $!";
}

# Returns when the server handles signals. Before this it opens its port and writes its pid file; a
# signal that comes too early kills it, and the pid file remains.
sub start {
    my ($self) = @_;
    my @command = $self->command('-DFOREGROUND');
    my $before = $self->generations;
    $self->{pid} = spawn('httpd', sub { $self->exec_httpd(@command) });
    my $up = wait_for { !alive($self->{pid}) || $self->generations > $before };
    if (!$up || !alive($self->{pid})) {
        die "httpd does not start:\n", slurp($self->{out}), $self->log_text;
    }
    return $self;
}

# How many generations of children the log reports.
sub generations { return scalar(() = $_[0]->log_text =~ /resuming normal operations/g) }

# Stops gracefully, as Debian's systemd unit does. (On SIGTERM the main thread of a child would close the
# sockets of connections that its workers are freeing, and sometimes the child would crash.) Closes the
# clients first, because they keep threads busy. The parent gets SIGTERM at the end, because it looks
# for its children only once a second.
sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    $_->close for grep { defined } splice @{ $self->{clients} };
    kill 'WINCH', $pid;
    wait_for { !alive($pid) || !children($pid) } or $self->{stuck} = 'a child of httpd did not end';
    end_process($pid);
    return;
}

sub restart {
    my ($self) = @_;
    $self->stop;
    return $self->start;
}

# A graceful restart; returns when all children are of the new generation, for old children may accept
# connections for a while. busy => 1: returns when the new generation has been started; old children may
# still have requests that they cannot end yet.
sub graceful {
    my ($self, %o) = @_;
    my $before = $self->generations;
    my %old = map { $_ => 1 } children($self->{pid});
    kill 'USR1', $self->{pid};
    wait_for { $self->generations > $before } or die "no graceful restart\n";
    return if $o{busy};
    # The parent replaces old children one by one, as they end. If it is told to restart before that,
    # it first starts the others with the configuration that it has: unseen old ones.
    my ($number) = $self->conf_text =~ /.*^StartServers (\d+)/ms;
    wait_for {
        my @now = children($self->{pid});
        @now >= $number && !grep { $old{$_} } @now;
    } or die "a graceful restart does not end\n";
    return;
}

# configtest: returns whether httpd accepts the configuration, and httpd's output.
sub configtest {
    my ($self) = @_;
    spit($self->{out}, '');
    my @command = $self->command('-t');
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        eval { $self->exec_httpd(@command) };
        POSIX::_exit(127);
    }
    waitpid $pid, 0;
    return ($? == 0, slurp($self->{out}));
}

# Sends one request on a new connection; returns the response.
sub get {
    my ($self, $target, %o) = @_;
    my $client = $self->client(exists $o{host} ? (host => delete $o{host}) : ());
    my %headers = (Connection => 'close', %{ $o{headers} // {} });
    return $client->get($target, %o, headers => \%headers);
}

# What was counted, by the handler tmpl-status at that path: the counters, and declined-REASON.
sub counted {
    my ($self, $path) = @_;
    my $data = decode_json($self->get("$path?format=json")->body);
    return { %{ $data->{counters} }, map { ("declined-$_->{reason}" => $_->{count}) } @{ $data->{declines} } };
}

sub client {
    my ($self, %args) = @_;
    my $client = Test::Tmpl::Client->new(port => $self->{port}, %args);
    weaken($self->{clients}[ @{ $self->{clients} } ] = $client);
    return $client;
}

# Requests /page/N for each N; returns the responses.
sub visit {
    my ($self, @n) = @_;
    return map { $self->get("/page/$_") } @n;
}

sub log_text { return -e $_[0]{log} ? slurp($_[0]{log}) : '' }

# finish() expects the lines of the error log that match a pattern.
sub expect_log {
    my ($self, @patterns) = @_;
    push @{ $self->{expected} }, @patterns;
    return;
}

my $BAD = qr{
      \[[\w:-]*:?(?:emerg|alert|crit|error|warn)\]
    | exit\ signal | [Ss]egmentation\ fault | core\ dumped
    | (?:Address|Leak|Thread|UndefinedBehavior|Memory)Sanitizer | runtime\ error:
    | ^==\d+==\ +(?:Invalid|Conditional\ jump|Use\ of\ uninit|Syscall\ param|Mismatched|.*\ definitely\ lost)
}x;

sub unexpected_lines {
    my ($self) = @_;
    my @bad = grep { /$BAD/ } map { split /\n/ } slurp($self->{out}), $self->log_text;
    for my $pattern (@{ $self->{expected} }) {
        @bad = grep { $_ !~ $pattern } @bad;
    }
    return @bad;
}

# What a line of the access log looks like: the values of notes in their places.
my %NOTE = (
    'tmpl-state' => 'cold|learning|warm', 'tmpl-ratio' => '[01]\.\d{3}', 'tmpl-confidence' => '[01]\.\d{3}',
    'tmpl-declined' => '[a-z-]+', 'tmpl-ms' => '\d+\.\d{3}', 'tmpl-fingerprint' => '[0-9a-f]{16}',
);
my %PLACE = ('%h' => '\S+', '%t' => '\[[^\]]+\]', '"%r"' => '"(?:[^"\\\\]|\\\\.)*"', '%>s' => '\d+', '%B' => '\d+');
my @ITEMS = split / /, $log_format =~ s/\\"/"/gr;
my $ACCESS = join ' ', map { /^%\{([\w-]+)\}n$/ ? '(-|' . ($NOTE{$1} // '\S+') . ')' : '(' . ($PLACE{$_} // '\S+') . ')' } @ITEMS;

sub access_lines { return -e "$_[0]{root}/shipped.log" ? split /\n/, slurp("$_[0]{root}/shipped.log") : () }

# The lines of the access log, each as { item of the LogFormat => value }.
sub access {
    my ($self) = @_;
    return map { my @values = /^$ACCESS$/; +{ map { $ITEMS[$_] => $values[$_] } 0 .. $#ITEMS } } $self->access_lines;
}

# Lines of the access log that the LogFormat does not make.
sub access_faults { return map { "access log: $_" } grep { !/^$ACCESS$/ } $_[0]->access_lines }

# Stops the server and checks its log: one test.
sub finish {
    my ($self, $name) = @_;
    my $died = $self->{pid} && !alive($self->{pid});
    $self->stop;
    my @bad = $self->unexpected_lines;
    push @bad, 'httpd ended before the test did' if $died;
    push @bad, delete $self->{stuck} // ();
    push @bad, $self->access_faults;
    Test::More::is(join("\n", @bad), '', $name // 'nothing unexpected in the error log');
    return;
}

1;
