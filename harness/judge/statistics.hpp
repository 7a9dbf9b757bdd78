// The formulas behind a verdict, on plain numbers. Pure: no clock, no files, no randomness.
// docs/verdicts-statistics.md derives how they are put together; each one here names its source.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace gpugauge::judge {

/// Middle value; mean of the two middle ones for an even count. Throws std::invalid_argument when empty.
double median(std::span<const double> values);

/// Arithmetic mean. Throws std::invalid_argument when empty.
double mean(std::span<const double> values);

/// Robust standard deviation Qn (Rousseeuw and Croux, JASA 88, 1993): 2.2219 d_n times the k-th smallest
/// pairwise distance, k = C(n/2 + 1, 2), with the small-sample factors d_n of Croux and Rousseeuw (1992). It
/// tolerates half of the values being wrong and, unlike the median absolute deviation, assumes no symmetry.
/// The cost grows as n log n. Values are finite. 0 when more than half of the values are equal. Throws
/// std::invalid_argument below 2 values.
double qn(std::span<const double> values);

/// What a Qn of so many values tells of a variance: Qn^2 / bias is distributed nearly as sigma^2 chi^2_d / d.
struct QnWorth {
  double degrees = 0;  ///< d
  double bias = 1;     ///< E[Qn^2] over sigma^2, nearly
};
/// The worth of a Qn of n normal values, n >= 2, else std::invalid_argument. For few values both are far from
/// what Qn's efficiency of 82% would say, 0.82 (n - 1) and 1: of 5 values they are 1.97 and 1.274. Source:
/// our own Monte Carlo, 2,000,000 samples for each n up to 20, 400,000 for 30 and 40; d and bias are those
/// whose log(chi^2_d / d) has the mean and variance of log Qn^2, which fit_prior goes by. A seeded test draws
/// some of them again. Between 20, 30 and 40 straight lines, beyond them the efficiency's slope.
QnWorth qn_worth(int n);

/// Variance of normal values by their Qn, Qn^2 / bias: what qn_worth(n).degrees belong to. Throws as qn does.
double robust_variance(std::span<const double> values);

/// First derivative of log gamma, x > 0, else std::invalid_argument.
double digamma(double x);
/// Second derivative of log gamma, x > 0, else std::invalid_argument.
double trigamma(double x);
/// The y with trigamma(y) = x, x > 0.
double trigamma_inverse(double x);

/// What the spreads of many metrics have in common (Smyth 2004, "Linear models and empirical Bayes methods"):
/// each variance is drawn around `variance` with the weight of `degrees` observations.
struct Prior {
  double degrees = 0;   ///< d0; infinity when the metrics show no more variety than chance
  double variance = 0;  ///< s0^2
  /// Degrees of freedom of all the variances that it was fitted to: more nobody has, however alike they look.
  double pooled = std::numeric_limits<double>::infinity();
  /// What its variance is worth by itself: min(d0, pooled).
  double worth() const { return std::min(degrees, pooled); }
};
/// Fits the prior to variances > 0, each with its degrees of freedom > 0, by the mean and variance of their
/// logarithms. With fewer than two variances there is nothing to share: degrees 0. Throws
/// std::invalid_argument on other input.
Prior fit_prior(std::span<const double> variances, std::span<const double> degrees);

/// A variance pulled towards what the metrics have in common.
struct Moderated {
  double variance = 0;  ///< (d0 s0^2 + d s^2) / (d0 + d)
  double degrees = 0;   ///< min(d0 + d, pooled), as limma's eBayes has it
};
/// A variance of so many degrees of freedom, > 0, pulled towards the prior.
Moderated moderate(const Prior& prior, double variance, double degrees);

/// Student's t; degrees may be infinite (normal). 0 < p < 1, degrees > 0, else std::invalid_argument.
double t_quantile(double p, double degrees);
/// P(T > t).
double t_upper_tail(double t, double degrees);

/// P(Bin(n, p) >= k).
double binomial_upper_tail(int n, double p, int k);

/// Lower 95% bound of a share of which so many of so many were seen (Clopper and Pearson, one-sided); 0 of
/// none.
double share_lower_bound(long seen, long of);

/// Smallest k >= 2 with P(Bin(rounds, contamination) >= k) <= level; rounds + 1 when no count of that many
/// rounds is enough: how many bad rounds it takes before chance is no longer an explanation.
int needed_rounds(int rounds, double contamination, double level);

/// The chance p of one round with which P(Bin(rounds, p) >= needed) = power; 0 < power < 1. 1 where no count
/// of that many rounds is enough.
double chance_of_a_round(int rounds, int needed, double power);

/// Holm's step-down test: which of the hypotheses are rejected at family-wise level `alpha`, in the order
/// given. NaN is never rejected, and counts as a hypothesis.
std::vector<bool> holm(std::span<const double> p_values, double alpha);

/// The step-up procedure of Benjamini and Hochberg (JRSS B 57, 1995): which hypotheses are rejected so that
/// at most a share `rate` of the rejections is expected to be false, in the order given. Many tests of which
/// some may be wrong because they are repeated anyway; NaN is never rejected.
std::vector<bool> benjamini_hochberg(std::span<const double> p_values, double rate);

/// How many standard errors a change must stand above none to be found with 90% power: the quantile of the
/// test (alpha = false regressions per judgement, over ten metrics in doubt in each of `fresh` rounds, 1 and
/// more, after the first) plus that of the power.
double detection_quantiles(double degrees, double alpha, int fresh);

/// The power that a detectable change is said with.
inline constexpr double detection_power = .9;

/// Smallest change that the gate finds with that power, on the scale of `spread`: tolerance, or what noise
/// makes of it. quantiles as above; rounds = K of the baseline; fresh rounds, 1 and more, are averaged.
double minimum_detectable_change(double tolerance, double spread, double quantiles, int rounds, int fresh);

/// Share of a tolerance below which a change is called none: tau0 = tau / 3.
inline constexpr double null_share = 1.0 / 3.0;

/// Variance of a median of K normal values, in units of one value's variance: pi / (2K).
double median_variance_factor(int rounds);

}  // namespace gpugauge::judge
