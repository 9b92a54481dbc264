// SPDX-License-Identifier: Apache-2.0
// The distributions that the statistics use: the normal distribution, Student's t, and the
// incomplete beta function, from which Student's t and the binomial are computed.
//
// Accuracy: ten digits, also far out in the tails, because a table of a thousand functions needs
// probabilities of 1e-5 and less.
#pragma once

namespace wick {

// Each tail of the normal distribution beyond this value has a probability of 2.5 %.
inline constexpr double kNormal95 = 1.959963984540054;

// The probability that a normal deviate is further from zero than z, both sides together.
double normal_two_sided(double z);
// The z with normal_two_sided(z) == probability; infinite for 0.
double normal_deviate(double probability);

// The same for Student's t with `degrees` of freedom: any number above 0; infinity is the normal.
double student_two_sided(double t, double degrees);
double student_deviate(double probability, double degrees);

// I_x(a, b), regularised; a and b above 0.
double incomplete_beta(double a, double b, double x);

}  // namespace wick
